/** Who changed what: each call of an agent, person or program, and the click that takes it back. */
import { useEffect, useState } from 'react';
import { api, type Schema } from '../api/client';
import { refresh, refused } from '../store/session';
import { get, notify, useStore } from '../store/state';
import { revert, undoAction } from '../store/write';
import { sentence } from '../ui/text';
import { Thumbnail } from './Thumbnail';

type Item = Schema['HistoryItem'];

export function Activity() {
  const history = useStore((state) => state.history);
  if (history.length === 0) return <p className="nothing">Nothing has changed yet. What an agent does appears here.</p>;
  const undone = new Set(history.flatMap((item) => item.undid ?? []));
  for (const item of history) if (item.redid) undone.delete(history.find((one) => one.revision === item.redid)?.undid ?? -1);
  return (
    <ol className="activity">
      {history.map((item) => (
        <Entry key={item.revision} item={item} isUndone={undone.has(item.revision)} />
      ))}
    </ol>
  );
}

function Entry({ item, isUndone }: { item: Item; isUndone: boolean }) {
  const changes = item.changes ?? [];
  return (
    <li className={isUndone ? 'undone' : ''}>
      <Thumbnail item={item} />
      <span className={`client clip ${item.client === 'page' ? 'me' : ''}`} title={item.client}>
        {item.client === 'page' ? 'you' : item.client}
      </span>
      <span className="what clip" title={[item.label, ...changes].join('\n').slice(0, 2000)}>
        {sentence(item.label)}
      </span>
      <span className="tool mono clip" title={item.tool}>
        {tool(item.tool)}
      </span>
      <time dateTime={item.at} title={item.at}>
        {clock(item.at)}
      </time>
      <span className="mono rev">r{item.revision}</span>
      {isUndone ? (
        <span className="state">reverted</span>
      ) : (
        <button className="button plain small" onClick={() => void revert(item.revision)} aria-label={`Revert ${item.label.slice(0, 120)}`}>
          Revert
        </button>
      )}
    </li>
  );
}

/** `PUT /api/projects/{project}/…/parameters/{name}` is long; its end says enough. */
function tool(name: string): string {
  const parts = name.split('/').filter((part) => part && !part.startsWith('{'));
  return name.includes('/') ? (parts.at(-1) ?? name) : name;
}

function clock(at: string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }) : date.toLocaleDateString();
}

/** The whole history in pages, checkpoints, and the way back to any state. */
export function HistoryList() {
  const revision = useStore((state) => state.revision);
  const project = useStore((state) => state.project);
  const [items, setItems] = useState<Item[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void load(null).then((page) => isCurrent && page && (setItems(page.entries), setCursor(page.next_cursor ?? null)));
    return () => {
      isCurrent = false;
    };
  }, [revision, project]);

  async function restore(item: Item): Promise<void> {
    if (project === null) return;
    try {
      await api.post('/api/projects/{project}/history/restore', { path: { project }, body: { revision: item.revision } as never });
      await refresh();
      notify({ tone: 'info', text: `Restored revision ${item.revision}.`, action: undoAction });
    } catch (error) {
      refused(error);
    }
  }

  return (
    <>
      <form
        className="checkpoint"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const name = String(new FormData(form).get('name') ?? '').trim();
          if (!name || project === null) return;
          api.post('/api/projects/{project}/checkpoints', { path: { project }, body: { name } as never }).then(() => (form.reset(), refresh()), refused);
        }}
      >
        <input className="field" name="name" aria-label="Name of a checkpoint" placeholder="Name the present state…" autoComplete="off" />
        <button className="button small">Checkpoint</button>
      </form>
      <ol className="activity history">
        {items.map((item) => (
          <li key={item.revision} className={item.checkpoint ? 'is-checkpoint' : ''}>
            <span className="mono rev">r{item.revision}</span>
            <span className="what clip" title={item.label}>
              {item.checkpoint ?? sentence(item.label)}
            </span>
            <span className="client clip">{item.client === 'page' ? 'you' : item.client}</span>
            <time dateTime={item.at}>{clock(item.at)}</time>
            {item.revision === revision ? (
              <span className="state">present</span>
            ) : (
              <button className="button plain small" onClick={() => void restore(item)} aria-label={`Restore revision ${item.revision}`}>
                Restore
              </button>
            )}
          </li>
        ))}
      </ol>
      {cursor && (
        <button className="button plain small more-button" onClick={() => void load(cursor).then((page) => page && (setItems([...items, ...page.entries]), setCursor(page.next_cursor ?? null)))}>
          Earlier changes
        </button>
      )}
    </>
  );
}

async function load(cursor: string | null): Promise<Schema['HistoryShown'] | null> {
  const { project } = get();
  if (project === null) return null;
  try {
    return await api.get('/api/projects/{project}/history', { path: { project }, query: { limit: 100, ...(cursor ? { cursor } : {}) } });
  } catch (error) {
    refused(error);
    return null;
  }
}
