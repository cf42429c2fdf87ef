/** A text edited in place: written on Enter or when the focus leaves, given up on Escape. */
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';

interface Props {
  name: string;
  value: string;
  isTitle?: boolean;
  /** A new text of several lines rather than a change of one: cleared when it is written, Shift-Enter breaks lines. */
  isLong?: boolean;
  check?: (text: string) => string | null;
  onWrite: (text: string) => Promise<boolean>;
}

/** A label of thousands of letters is not typed; a field that long is slow. */
const MOST_IN_PLACE = 4000;

export function Field({ name, value, isTitle = false, isLong = false, check, onWrite }: Props) {
  const id = useId();
  const [draft, setDraft] = useState<string | null>(null);
  const [isWhole, setWhole] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const isCut = value.length > MOST_IN_PLACE && !isWhole;
  const text = draft ?? (isCut ? value.slice(0, 200) : value);
  const fault = draft === null ? null : (check?.(draft.trim()) ?? null);

  useEffect(() => {
    const element = area.current;
    if (!element) return;
    element.style.height = '0';
    element.style.height = `${Math.min(element.scrollHeight + 2, 220)}px`;
  }, [text]);

  const write = () => {
    const next = draft?.trim();
    if (next === undefined || fault || next === value || (isLong && next === '')) {
      if (!fault) setDraft(null);
      return;
    }
    void onWrite(next).then((isWritten) => isWritten && setDraft(null));
  };
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Escape') {
      setDraft(null);
      event.currentTarget.value = value;
      event.currentTarget.blur();
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      write();
      if (!isLong) event.currentTarget.blur();
    } else return;
    event.stopPropagation();
  };
  return (
    <div className={`kg-field ${isTitle ? 'is-title' : ''}`}>
      <label htmlFor={id} className={isTitle || isLong ? 'visually-hidden' : ''}>
        {name}
      </label>
      <textarea
        id={id}
        ref={area}
        rows={1}
        dir="auto"
        className="field"
        placeholder={isLong ? name : undefined}
        readOnly={isCut}
        aria-invalid={fault !== null}
        value={text}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={write}
        onKeyDown={onKey}
      />
      {fault && <small className="kg-fault" role="alert">{fault}</small>}
      {isCut && (
        <button className="button plain small" onClick={() => setWhole(true)}>
          Show and edit all {value.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  );
}
