/** The open function and the calls that led to it. */
import { Fragment } from 'react';
import { openFunction } from '../store/session';
import { useStore } from '../store/state';
import { Icon } from '../ui/icons';

export function Breadcrumbs() {
  const trail = useStore((state) => state.trail);
  const functions = useStore((state) => state.functions);
  if (trail.length < 2) return null;
  const name = (id: number) => functions.find((known) => known.function_id === id)?.name ?? String(id);
  return (
    <nav className="breadcrumbs" aria-label="Calls">
      {trail.map((id, at) => (
        <Fragment key={id}>
          {at > 0 && <Icon name="chevron" size={12} />}
          <button className="button plain small clip" aria-current={at === trail.length - 1 ? 'page' : undefined} onClick={() => void openFunction(id)}>
            {name(id)}
          </button>
        </Fragment>
      ))}
    </nav>
  );
}
