/** Named constants and inputs with defaults as sliders: the part follows while one is dragged, and one write follows at the release. */
import { useEffect, useRef, useState } from 'react';
import { setDraft, settleDraft, usePreview } from '../preview/state';
import { scalars } from '../preview/source';
import { get, useStore } from '../store/state';
import { write } from '../store/write';
import type { Edit } from '../graph/edits';
import { loadParameters, type Parameter } from './named';
import { number, rangeOf, sliderStep, toStep, unitSign } from '../ui/numbers';

/** Names that programs gave to constants, not people. */
const GENERATED = /^(Constant(Scalar|Vector|Matrix)|constant)[_ ]?\d*$/;

type Range = [low: number, high: number];

/** Sliders of constants without names that are shown before one asks for all. */
const MOST_UNNAMED = 6;

/** Parameters that a slider or number fields can change: those named by people first. */
export function sorted(all: Parameter[]): { named: Parameter[]; others: Parameter[] } {
  const numeric = all.filter(({ value }) => typeof value === 'number' || (Array.isArray(value) && scalars(value).length === 3));
  const named = numeric.filter(({ name }) => !GENERATED.test(name));
  return { named, others: numeric.filter(({ name }) => GENERATED.test(name)) };
}

export function Parameters({ project, functionId }: { project: string; functionId: number }) {
  const revision = useStore((state) => state.functionsRevision);
  const [all, setAll] = useState<Parameter[] | null>(null);
  useEffect(() => setAll(null), [project, functionId]);
  useEffect(() => {
    const stop = new AbortController();
    loadParameters(project, { function_id: functionId }, stop.signal).then(setAll, () => {
      // The function is gone, or others are asked for; the last parameters stay.
    });
    return () => stop.abort();
  }, [project, functionId, revision]);
  if (!all) return null;
  const { named, others } = sorted(all);
  if (named.length + others.length === 0) return null;
  const first = named.length > 0 ? named : others.slice(0, MOST_UNNAMED);
  const more = named.length > 0 ? others : others.slice(MOST_UNNAMED);
  return (
    <section className="parameters" aria-label="Parameters">
      <h2 className="section-title">Parameters</h2>
      {first.map((parameter) => (
        <Row key={draftKey(parameter)} parameter={parameter} />
      ))}
      {more.length > 0 && <More parameters={more} />}
    </section>
  );
}

function More({ parameters }: { parameters: Parameter[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{parameters.length} without a name</summary>
      {isOpen && parameters.map((parameter) => <Row key={draftKey(parameter)} parameter={parameter} />)}
    </details>
  );
}

/** Inputs have no node of their own. */
function draftKey({ function_id, node_id, name, input }: Parameter): string {
  return `${function_id}.${input ? name : node_id}`;
}

function Row({ parameter }: { parameter: Parameter }) {
  const { function_id, name, unit, min, max } = parameter;
  const key = draftKey(parameter);
  const range: Range | undefined = min !== undefined && max !== undefined && min < max ? [min, max] : undefined;
  const draft = usePreview((state) => state.drafts.get(key));
  const saved = scalars(parameter.value);
  const numbers = draft?.numbers ?? saved;
  const isVector = Array.isArray(parameter.value);

  const edit = (next: number[]): Edit => ({ set_parameter_value: { function_id, parameter_name: name, value: isVector ? next : next[0] } });
  const basis = () => {
    const { graph, functions } = get();
    if (parameter.input) return functions.find((known) => known.function_id === function_id)?.inputs;
    return graph?.nodes.find((node) => node.node_id === parameter.node_id)?.parameters;
  };

  function change(axis: number, value: number): void {
    const next = numbers.map((old, index) => (index === axis ? value : old));
    setDraft(key, { numbers: next, edit: edit(next), revision: null });
  }
  async function commit(axis: number, value: number): Promise<void> {
    const next = numbers.map((old, index) => (index === axis ? value : old));
    if (next.every((part, index) => part === saved[index])) return setDraft(key, null);
    const draft = { numbers: next, edit: edit(next), revision: null };
    setDraft(key, draft);
    const written = await write([draft.edit], { label: `set ${name} to ${next.map((part) => number(part)).join(', ')}`, basis });
    settleDraft(key, draft, written?.revision ?? null);
  }
  return (
    <div className={`parameter ${isVector ? 'vector' : ''}`}>
      <span className="clip name" title={unit ? `${name} in ${unit}` : name}>
        {name}
        {unit && <span className="unit"> {unitSign(unit)}</span>}
      </span>
      {numbers.map((value, axis) => {
        const label = isVector ? `${name} ${'xyz'[axis]}` : name;
        return <Slider key={axis} label={label} hasTrack={!isVector} fixed={range} saved={saved[axis] ?? 0} value={value} onChange={(next) => change(axis, next)} onCommit={(next) => void commit(axis, next)} onGiveUp={() => setDraft(key, null)} />;
      })}
    </div>
  );
}

interface SliderProps {
  label: string;
  hasTrack: boolean;
  /** The range, if the value has one. */
  fixed: Range | undefined;
  saved: number;
  value: number;
  onChange: (value: number) => void;
  onCommit: (value: number) => void;
  onGiveUp: () => void;
}

const KEY_QUIET_MS = 500;

function Slider({ label, hasTrack, fixed, saved, value, onChange, onCommit, onGiveUp }: SliderProps) {
  const [own, setRange] = useState(() => rangeOf(saved));
  const [text, setText] = useState<string | null>(null);
  const isHeld = useRef(false);
  const isGivenUp = useRef(false);
  const pending = useRef<number | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const range = fixed ?? own;
  const [low, high] = range;
  // The range stays while it holds the value, so that nothing jumps below the pointer.
  useEffect(() => {
    if (saved < low || saved > high || (saved !== 0 && Math.abs(saved) < (high - low) * 0.02)) setRange(rangeOf(saved));
  }, [saved, low, high]);
  // What is moved is written when it rests, or when the slider goes.
  const commitNow = useRef(() => {});
  commitNow.current = () => {
    clearTimeout(timer.current);
    const last = pending.current;
    pending.current = null;
    if (last !== null) onCommit(last);
  };
  useEffect(() => () => commitNow.current(), []);
  const step = sliderStep(range);

  function finish(): void {
    if (text === null) return;
    const read = Number(text.trim().replace(',', '.').replace('−', '-'));
    setText(null);
    if (text.trim() !== '' && Number.isFinite(read)) onCommit(read);
  }
  function slide(next: number): void {
    if (isGivenUp.current) return;
    pending.current = next;
    onChange(next);
    clearTimeout(timer.current);
    if (!isHeld.current) timer.current = setTimeout(() => commitNow.current(), KEY_QUIET_MS);
  }
  function hold(isDown: boolean): void {
    isHeld.current = isDown;
    isGivenUp.current = false;
    if (!isDown) commitNow.current();
  }
  return (
    <>
      {hasTrack && (
        <span className="track">
          <input
            type="range"
            aria-label={label}
            min={low}
            max={high}
            step="any"
            title={`from ${number(low)} to ${number(high)}`}
            value={value}
            style={{ '--share': (value - low) / (high - low) } as React.CSSProperties}
            onPointerDown={() => hold(true)}
            onPointerUp={() => hold(false)}
            onPointerCancel={() => hold(false)}
            onChange={(event) => slide(toStep(Number(event.target.value), step))}
            onKeyDown={(event) => {
              const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
              if (event.key === 'Escape' && pending.current !== null) {
                clearTimeout(timer.current);
                pending.current = null;
                isGivenUp.current = isHeld.current;
                onGiveUp();
              } else if (by !== undefined) slide(Math.min(high, Math.max(low, toStep(value + by * step, step))));
              else return;
              event.preventDefault();
            }}
          />
          <span className="ends" aria-hidden="true">
            <span>{number(low)}</span>
            <span>{number(high)}</span>
          </span>
        </span>
      )}
      <input
        className="field"
        aria-label={hasTrack ? `${label}, as a number` : label}
        inputMode="decimal"
        title={String(value)}
        value={text ?? number(value)}
        onFocus={(event) => {
          setText(String(value));
          const target = event.currentTarget;
          // Selecting moves the focus, which may be elsewhere by then.
          requestAnimationFrame(() => document.activeElement === target && target.select());
        }}
        onChange={(event) => setText(event.target.value)}
        onBlur={finish}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
          if (event.key === 'Escape') {
            setText(null);
            event.stopPropagation();
          }
        }}
      />
    </>
  );
}
