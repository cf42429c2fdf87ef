/** The box in which a person writes a mark, at its place. It is not modal: the page stays in use. */
import { useEffect, useRef, useState } from 'react';
import { makeMark, setMarks, useMarks } from './store';
import './marks.css';

const WIDTH = 288;
const HEIGHT = 132;
const EDGE = 8;

export function MarkBox() {
  const draft = useMarks((state) => state.draft);
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const before = useRef<HTMLElement | null>(null);
  useEffect(() => {
    if (!draft) return;
    before.current = document.activeElement as HTMLElement | null;
    setText('');
    field.current?.focus();
  }, [draft]);
  if (!draft) return null;
  const close = () => {
    setMarks({ draft: null });
    before.current?.focus();
  };
  const submit = () => {
    if (isBusy || text.trim() === '') return;
    setBusy(true);
    void makeMark(draft, text.trim()).finally(() => setBusy(false));
  };
  const left = Math.max(EDGE, Math.min(draft.screen.x + 14, innerWidth - Math.min(WIDTH, innerWidth - 2 * EDGE) - EDGE));
  const top = Math.max(EDGE, Math.min(draft.screen.y + 14, innerHeight - HEIGHT - EDGE));
  return (
    <form
      className="mark-box"
      role="dialog"
      aria-modal="false"
      aria-label="New mark"
      style={{ left, top }}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Escape') close();
        else if (event.key === 'Enter' && !event.shiftKey && event.target === field.current) {
          event.preventDefault();
          submit();
        }
      }}
    >
      <header>
        <span className="mark-dot open" aria-hidden="true" />
        <bdi className="clip" title={draft.title}>
          {draft.title}
        </bdi>
      </header>
      <textarea ref={field} className="field" rows={2} aria-label="What is wrong or wanted here" placeholder="What is wrong or wanted here?" value={text} onChange={(event) => setText(event.target.value)} />
      <footer>
        <span className="hint">Enter sends, Esc closes</span>
        <button type="button" className="button small plain" onClick={close}>
          Cancel
        </button>
        <button className="button small primary" disabled={isBusy || text.trim() === ''}>
          Send
        </button>
      </footer>
    </form>
  );
}
