/** Projects, functions and objects. */
import { openFunction, openProject } from '../store/session';
import { useStore } from '../store/state';

export function Outline() {
  const { projects, project, functions, trail } = useStore();
  return (
    <>
      <ul>
        {projects?.map((known) => (
          <li key={known.project}>
            <button className="button plain clip" aria-current={known.project === project} onClick={() => void openProject(known.project)}>
              {known.project}
            </button>
          </li>
        ))}
      </ul>
      <ul>
        {functions.map((known) => (
          <li key={known.function_id}>
            <button className="button plain clip" aria-current={known.function_id === trail.at(-1)} onClick={() => void openFunction(known.function_id)}>
              {known.name}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
