/** Long work beside the messages: what it is, how much of it is done, and how to stop it. */
import { useEffect, useState } from 'react';
import { useWork, type Work } from '../store/work';
import { Icon } from '../ui/icons';

export function Works() {
  const works = useWork((state) => state.works);
  return works.map((one) => <Row key={one.id} work={one} />);
}

function Row({ work: { label, share, since, cancel } }: { work: Work }) {
  const seconds = useSeconds(since);
  const percent = share === null ? null : Math.floor(share * 100);
  return (
    <div className="notice work">
      <span className="notice-text">{label}</span>
      <span className="work-share mono">{percent === null ? `${seconds} s` : `${percent} %`}</span>
      <button className="icon" aria-label={`Cancel: ${label}`} title="Cancel" onClick={cancel}>
        <Icon name="close" size={12} />
      </button>
      <span className="work-bar" role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} {...(percent === null ? {} : { 'aria-valuenow': percent })}>
        <span style={{ width: `${percent ?? 0}%` }} />
      </span>
    </div>
  );
}

/** Whole seconds since a time. */
export function useSeconds(since: number): number {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.round((now - since) / 1000));
}
