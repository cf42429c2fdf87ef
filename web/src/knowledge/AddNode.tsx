/** A menu below its button, and the form that adds a node. */
import { useRef, type ReactNode } from 'react';
import { refused } from '../store/session';
import { addNode } from './commit';
import { useKnowledge } from './store';

/** A menu that opens below its button, without a dialog. */
export function Menu({ name, children }: { name: string; children: ReactNode }) {
  const details = useRef<HTMLDetailsElement>(null);
  const close = () => details.current?.removeAttribute('open');
  return (
    <details
      ref={details}
      className="kg-menu"
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && close()}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        close();
        details.current?.querySelector('summary')?.focus();
      }}
    >
      <summary className="button small">{name}</summary>
      <div
        className="kg-popover"
        onClick={(event) => {
          // A choice closes the menu; a form closes it itself.
          const { parentElement, tagName } = event.target as HTMLElement;
          if (tagName === 'BUTTON' && parentElement === event.currentTarget) close();
        }}
      >
        {children}
      </div>
    </details>
  );
}

export function AddNode({ project, onAdded }: { project: string; onAdded: (id: string) => void }) {
  const types = useKnowledge((state) => state.typeRanks);
  const add = async (form: HTMLFormElement) => {
    const values = new FormData(form);
    const label = String(values.get('label')).trim();
    if (label === '') return;
    const id = await addNode(project, label, String(values.get('type')).trim() || 'note');
    if (id === null) return;
    form.reset();
    form.closest('details')?.removeAttribute('open');
    setTimeout(() => onAdded(id), 80);
  };
  return (
    <Menu name="Add node">
      <form
        className="kg-form"
        onSubmit={(event) => {
          event.preventDefault();
          void add(event.currentTarget).catch(refused);
        }}
      >
        <input className="field" name="label" aria-label="Label" placeholder="Label" required />
        <input className="field" name="type" aria-label="Type" placeholder="Type" list="kg-types" />
        <datalist id="kg-types">
          {[...types.keys()].map((type) => (
            <option key={type} value={type} />
          ))}
        </datalist>
        <button className="button small primary">Add</button>
      </form>
    </Menu>
  );
}
