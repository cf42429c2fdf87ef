/** Knowledge tied to the function or one of its nodes: one click leads to it. */
import { useNotes } from '../graph/notes';
import { openAt } from '../knowledge/store';
import { oneLine } from '../knowledge/text';

export function Tied({ node }: { node: number | null }) {
  const intents = useNotes((state) => state.intents.get(node));
  if (!intents) return null;
  return (
    <section className="tied-list" aria-label="Knowledge">
      <h3>Knowledge</h3>
      <ul>
        {intents.map((intent) => (
          <li key={`${intent.id} ${intent.type}`}>
            <button
              title={`Show it in the knowledge graph: ${oneLine(intent.label, 400)}`}
              onClick={() => openAt({ kind: 'node', id: intent.id })}
            >
              <span className="relation">{oneLine(intent.type.replaceAll('_', ' '), 40)}</span>
              <bdi>{oneLine(intent.label, 200)}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
