/** What an entry of the activity changed, as a small picture: the part, or a sign of what it was. */
import { useEffect, useRef, useState } from 'react';
import type { Schema } from '../api/client';
import { compareWith } from '../preview/state';
import { noShape } from '../preview/useField';
import { openFunction } from '../store/session';
import { get, useStore } from '../store/state';
import { Icon } from '../ui/icons';
import { thumbnail } from './thumbnails';

type Item = Schema['HistoryItem'];

/** The function whose part shows the change best: the open one, else the first that has a shape. */
function shownFunction(item: Item, functions: Schema['FunctionInfo'][], open: number | undefined): number | null {
  const shaped = (item.functions ?? []).filter((id) => {
    const known = functions.find((one) => one.function_id === id);
    return known !== undefined && noShape(known) === null;
  });
  return shaped.find((id) => id === open) ?? shaped[0] ?? null;
}

export function Thumbnail({ item }: { item: Item }) {
  const project = useStore((state) => state.project);
  const functions = useStore((state) => state.functions);
  const open = useStore((state) => state.trail.at(-1));
  const functionId = shownFunction(item, functions, open);
  const [picture, setPicture] = useState<string | null>(null);
  const frame = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (project === null || functionId === null || !frame.current) return;
    let isCurrent = true;
    const watch = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        watch.disconnect();
        void thumbnail(project, functionId, item.revision).then((address) => isCurrent && setPicture(address));
      },
      { rootMargin: '80px' },
    );
    watch.observe(frame.current);
    return () => {
      isCurrent = false;
      watch.disconnect();
    };
  }, [project, functionId, item.revision]);

  if (functionId === null) {
    return (
      <span className="thumb" aria-hidden="true">
        <Icon name={item.functions?.length ? 'function' : 'note'} size={14} />
      </span>
    );
  }
  return (
    <button ref={frame} className="thumb" title="Show on the part what has changed since" aria-label={`Show what has changed since before ${item.label.slice(0, 120)}`} onClick={() => void compare(functionId, item.revision - 1)}>
      {picture ? <img src={picture} alt="" draggable={false} /> : <Icon name="solid" size={14} />}
    </button>
  );
}

/** Time for the preview to turn to another function. */
const TURN_MS = 120;

async function compare(functionId: number, since: number): Promise<void> {
  if (get().trail.at(-1) !== functionId) {
    await openFunction(functionId);
    await new Promise((resolve) => setTimeout(resolve, TURN_MS));
  }
  compareWith(since);
}
