/** Orbit, pan and zoom by mouse, touch and keyboard. */
import { useEffect, useRef, type KeyboardEvent, type PointerEvent, type RefObject } from 'react';
import { frameOf, HOME, orbited, panned, VIEWS, zoomed, type Box, type Frame, type ViewName } from './camera';
import { setView, view } from './state';

const KEYS: Record<string, ViewName> = { '0': 'Iso', '1': 'Front', '2': 'Back', '3': 'Left', '4': 'Right', '5': 'Top', '6': 'Bottom' };
const KEY_PX = 24;

export function setStandardView(name: ViewName): void {
  setView({ camera: { ...view().camera, ...VIEWS[name], pan: [0, 0, 0], zoom: 1 } });
}

/** Handlers of an element that shows bounds; nothing moves without them. Pictures of the server have their middle in the middle. */
export function useCamera(element: RefObject<HTMLElement | null>, bounds: Box | null, isCentred = false) {
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const box = useRef(bounds);
  box.current = bounds;

  function frame(): Frame | null {
    const target = element.current;
    return target && box.current ? frameOf(view().camera, box.current, target.clientWidth, target.clientHeight) : null;
  }
  function zoomAt(factor: number, x?: number, y?: number): void {
    const [now, target] = [frame(), element.current];
    if (!now || !target) return;
    const rect = target.getBoundingClientRect();
    const at: [number, number] = isCentred || x === undefined || y === undefined ? [0, 0] : [x - rect.left - rect.width / 2, rect.top + rect.height / 2 - y];
    setView({ camera: zoomed(view().camera, now, factor, at) });
  }
  function pan(dx: number, dy: number): void {
    const now = isCentred ? null : frame();
    if (now) setView({ camera: panned(view().camera, now, dx, dy) });
  }

  // React listens passively to wheels, so that they could not be kept from scrolling the panel.
  useEffect(() => {
    const target = element.current;
    if (!target) return;
    const onWheel = (event: WheelEvent) => {
      if (!box.current) return;
      event.preventDefault();
      const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
      zoomAt(Math.exp(-Math.max(-200, Math.min(200, pixels)) * 0.002), event.clientX, event.clientY);
    };
    target.addEventListener('wheel', onWheel, { passive: false });
    return () => target.removeEventListener('wheel', onWheel);
  });

  return {
    onPointerDown(event: PointerEvent<HTMLElement>): void {
      pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove(event: PointerEvent<HTMLElement>): void {
      const before = pointers.current.get(event.pointerId);
      if (!before || !box.current) return;
      const now = { x: event.clientX, y: event.clientY };
      const [dx, dy] = [now.x - before.x, now.y - before.y];
      const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
      pointers.current.set(event.pointerId, now);
      if (other) {
        const apart = (from: { x: number; y: number }) => Math.max(1, Math.hypot(from.x - other.x, from.y - other.y));
        pan(dx / 2, dy / 2);
        zoomAt(apart(now) / apart(before), (now.x + other.x) / 2, (now.y + other.y) / 2);
      } else if (event.shiftKey || event.buttons & 6) pan(dx, dy);
      else setView({ camera: orbited(view().camera, dx, dy) });
    },
    onPointerUp(event: PointerEvent<HTMLElement>): void {
      pointers.current.delete(event.pointerId);
    },
    onPointerCancel(event: PointerEvent<HTMLElement>): void {
      pointers.current.delete(event.pointerId);
    },
    onContextMenu(event: { preventDefault(): void }): void {
      event.preventDefault();
    },
    onDoubleClick(): void {
      setView({ camera: HOME });
    },
    onKeyDown(event: KeyboardEvent<HTMLElement>): void {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const standard = KEYS[event.key];
      const arrow = { ArrowLeft: [-KEY_PX, 0], ArrowRight: [KEY_PX, 0], ArrowUp: [0, -KEY_PX], ArrowDown: [0, KEY_PX] }[event.key];
      if (standard) setStandardView(standard);
      else if (arrow) {
        const [dx = 0, dy = 0] = arrow;
        if (event.shiftKey) pan(dx, dy);
        else setView({ camera: orbited(view().camera, dx, dy) });
      } else if (event.key === '+' || event.key === '=') zoomAt(1.25);
      else if (event.key === '-') zoomAt(0.8);
      else if (event.key === 'Home') setView({ camera: HOME });
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}
