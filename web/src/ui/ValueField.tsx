/** Fields for values of all types. A number is dragged, typed, or stepped with the arrow keys; one change is one step of the history. */
import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { flushSync } from 'react-dom';
import { parseNumber, parseNumbers, short, shown, stepOf, toStep } from './numbers';

interface Props {
  label: string;
  type: string;
  value: unknown;
  placeholder?: string;
  unit?: string;
  choices?: { id: number; name: string }[];
  onCommit: (value: unknown) => void;
  /** Takes each number of a drag, and null if it is given up. */
  onDraft?: (value: number | null) => void;
}

export function ValueField(props: Props) {
  if (props.type === 'resource_id' && props.choices) return <ChoiceField {...props} choices={props.choices} />;
  if (props.type === 'float' || props.type === 'integer') return <NumberField {...props} />;
  return <TextField {...props} />;
}

const QUIET_MS = 450;
const DRAG_THRESHOLD = 3;

function NumberField({ label, type, value, placeholder, unit, onCommit, onDraft }: Props) {
  const number = typeof value === 'number' ? value : null;
  const [draft, setDraft] = useState<number | null>(null);
  const [text, setText] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const drag = useRef<{ x: number; from: number; step: number; moved: boolean } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const pending = useRef<number | null>(null);
  const commitNow = useRef(() => {});
  commitNow.current = () => {
    clearTimeout(timer.current);
    const last = pending.current;
    pending.current = null;
    if (last !== null && last !== number) onCommit(last);
    else if (last !== null) onDraft?.(null);
    setDraft(null);
  };
  useEffect(() => () => commitNow.current(), []);
  const current = draft ?? number;

  function change(next: number): void {
    const exact = type === 'integer' ? Math.round(next) : next;
    pending.current = exact;
    setDraft(exact);
    onDraft?.(exact);
  }

  function onPointerDown(event: PointerEvent<HTMLInputElement>): void {
    if (event.button !== 0 || text !== null) return;
    event.stopPropagation();
    const from = current ?? 0;
    drag.current = { x: event.clientX, from, step: type === 'integer' ? 1 : stepOf(from), moved: false };
    event.currentTarget.setPointerCapture(event.pointerId);
  }
  function onPointerMove(event: PointerEvent<HTMLInputElement>): void {
    const start = drag.current;
    if (!start) return;
    const far = event.clientX - start.x;
    if (!start.moved && Math.abs(far) < DRAG_THRESHOLD) return;
    start.moved = true;
    const step = start.step * (event.shiftKey ? 0.1 : event.altKey ? 10 : 1);
    change(toStep(start.from + Math.round(far / 2) * step, step));
  }
  function onPointerUp(): void {
    const start = drag.current;
    drag.current = null;
    if (!start) return;
    if (start.moved) commitNow.current();
    else edit();
  }
  function edit(): void {
    flushSync(() => setText(current === null ? '' : String(current)));
    input.current?.select();
  }
  function finish(): void {
    if (text === null) return commitNow.current();
    const read = parseNumber(text);
    setText(null);
    if (read !== null && read !== number) onCommit(type === 'integer' ? Math.round(read) : read);
  }
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    if (event.key === 'Enter') {
      if (text === null) edit();
      else finish();
    } else if (event.key === 'Escape') {
      setText(null);
      if (pending.current !== null) onDraft?.(null);
      drag.current = null;
      pending.current = null;
      setDraft(null);
      input.current?.blur();
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      const from = (text === null ? current : parseNumber(text)) ?? 0;
      const step = (type === 'integer' ? 1 : stepOf(from)) * (event.shiftKey ? 10 : 1);
      setText(null);
      change(toStep(from + (event.key === 'ArrowUp' ? step : -step), step));
      clearTimeout(timer.current);
      timer.current = setTimeout(() => commitNow.current(), QUIET_MS);
      event.preventDefault();
    } else if (text === null && /^[-\d.]$/.test(event.key) && !event.ctrlKey && !event.metaKey) {
      setText(event.key);
      event.preventDefault();
    }
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
  }

  return (
    <span className="value-field nodrag nopan">
      <input
        ref={input}
        className={`number ${text === null ? 'rests' : ''}`}
        role="spinbutton"
        aria-label={label}
        {...(current === null ? {} : { 'aria-valuenow': current })}
        aria-valuetext={current === null ? 'not set' : `${current}${unit ? ` ${unit}` : ''}`}
        readOnly={text === null}
        value={text ?? (current === null ? '' : short(current))}
        placeholder={placeholder ?? '–'}
        title={current === null ? undefined : String(current)}
        inputMode="decimal"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerUp}
        onDoubleClick={(event) => event.stopPropagation()}
        onBlur={finish}
        onKeyDown={onKeyDown}
      />
      {unit && current !== null && <span className="unit">{unit}</span>}
    </span>
  );
}

function TextField({ label, type, value, placeholder, onCommit }: Props) {
  const [text, setText] = useState<string | null>(null);
  const isString = type === 'string';
  const rest = isString ? String(value ?? '') : Array.isArray(value) ? shown(value) : '';
  const full = isString ? rest : Array.isArray(value) ? value.flat().join(', ') : '';
  const count = type === 'float3' ? 3 : 16;
  function finish(): void {
    if (text === null || text === full) return setText(null);
    if (isString) onCommit(text);
    else {
      const numbers = parseNumbers(text);
      if (numbers?.length === count) onCommit(numbers);
    }
    setText(null);
  }
  return (
    <span className="value-field nodrag nopan">
      <input
        className="text"
        aria-label={label}
        value={text ?? rest}
        title={full}
        placeholder={placeholder ?? (isString ? '' : type === 'float3' ? 'x, y, z' : '16 numbers')}
        autoComplete="off"
        spellCheck={false}
        onFocus={(event) => {
          setText(full);
          const field = event.currentTarget;
          requestAnimationFrame(() => document.activeElement === field && field.select());
        }}
        onChange={(event) => setText(event.target.value)}
        onBlur={finish}
        onDoubleClick={(event) => event.stopPropagation()}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
          if (event.key === 'Escape') setText(null);
          event.stopPropagation();
        }}
      />
    </span>
  );
}

function ChoiceField({ label, value, choices, onCommit }: Props & { choices: { id: number; name: string }[] }) {
  const known = choices.some((choice) => choice.id === value);
  return (
    <span className="value-field nodrag nopan">
      <select aria-label={label} value={typeof value === 'number' ? value : ''} onChange={(event) => onCommit(Number(event.target.value))} onKeyDown={(event) => event.stopPropagation()}>
        {!known && <option value={typeof value === 'number' ? value : ''}>{typeof value === 'number' ? String(value) : 'choose'}</option>}
        {choices.map((choice) => (
          <option key={choice.id} value={choice.id}>
            {choice.name.slice(0, 80)}
          </option>
        ))}
      </select>
    </span>
  );
}
