/** A layer over the picture that takes clicks at places of the part; arrow keys move its cross, and Enter takes the place. */
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import type { Box } from './camera';
import { useCamera } from './useCamera';

const STEP_PX = 12;

interface Props {
  /** What the picture shows in space, where drags and the wheel turn and zoom it. */
  bounds: Box | null;
  /** True for a picture of the server, which cannot be shifted. */
  isCentred: boolean;
  layer: RefObject<HTMLElement | null>;
  /** What a click does. */
  hint: ReactNode;
  /** Another key that ends it, as Escape does. */
  endKey?: string;
  onPoint: (x: number, y: number) => void;
  onEnd: () => void;
}

/** Drags are longer than clicks. */
const CLICK_PX = 4;

export function Aim({ bounds, isCentred, layer, hint, endKey, onPoint, onEnd }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const [cross, setCross] = useState<{ x: number; y: number } | null>(null);
  useEffect(() => element.current?.focus(), []);
  const { onPointerDown, onPointerMove, onPointerUp, onPointerCancel } = useCamera(element, bounds, isCentred);
  const pressed = useRef({ x: 0, y: 0 });
  const onKeyDown = (event: KeyboardEvent) => {
    const box = layer.current?.getBoundingClientRect();
    if (!box || event.ctrlKey || event.metaKey || event.altKey) return;
    const now = cross ?? { x: box.width / 2, y: box.height / 2 };
    const step = event.shiftKey ? 1 : STEP_PX;
    const move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (move) {
      const [dx = 0, dy = 0] = move;
      setCross({ x: Math.max(0, Math.min(box.width, now.x + dx)), y: Math.max(0, Math.min(box.height, now.y + dy)) });
    } else if (event.key === 'Enter' || event.key === ' ') onPoint(now.x, now.y);
    else if (event.key === 'Escape' || event.key.toLowerCase() === endKey) onEnd();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={element}
      className="aim"
      tabIndex={0}
      role="application"
      aria-label="Point at a place of the part: click, or move the cross with the arrow keys and press Enter. Escape ends it."
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        pressed.current = { x: event.clientX, y: event.clientY };
        onPointerDown(event);
      }}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerCancel}
      onClick={(event) => {
        if (Math.hypot(event.clientX - pressed.current.x, event.clientY - pressed.current.y) > CLICK_PX) return;
        const box = event.currentTarget.getBoundingClientRect();
        const at = { x: event.clientX - box.left, y: event.clientY - box.top };
        setCross(at);
        onPoint(at.x, at.y);
      }}
    >
      {cross && <span className="cross" style={{ transform: `translate(${cross.x}px, ${cross.y}px)` }} aria-hidden="true" />}
      <p className="aim-hint">{hint}</p>
    </div>
  );
}
