/** What is wrong, with the way to its place. */
import { show } from '../graph/show';
import { useStore } from '../store/state';
import { sentence } from '../ui/text';

export function Problems() {
  const problems = useStore((state) => state.problems);
  const warnings = useStore((state) => state.overview?.warnings);
  if (problems.length === 0 && !warnings?.length) return <p className="nothing">No problems.</p>;
  return (
    <ul className="problems">
      {problems.map((problem, index) => (
        <li key={index} className={problem.tone}>
          {problem.nodeId === null ? (
            <span>{sentence(problem.text)}</span>
          ) : (
            <button onClick={() => problem.nodeId !== null && show(problem.nodeId, problem.functionId ?? undefined, problem.port)}>{sentence(problem.text)}</button>
          )}
        </li>
      ))}
      {warnings?.map((text, index) => (
        <li key={`w${index}`} className="warning">
          <span>{sentence(text)}</span>
        </li>
      ))}
    </ul>
  );
}
