/** The knowledge graph as the server draws it, for browsers without WebGL 2. The table beside it is for work. */
import { useEffect, useState } from 'react';
import { untilAnswered } from '../api/asking';
import { raw, url } from '../api/client';
import { refused } from '../store/session';
import { useStore } from '../store/state';
import { useTheme } from './Legend';
import { useKnowledge } from './store';

export function ServerPicture() {
  const { project, arrangement } = useKnowledge();
  const revision = useStore((state) => state.revision);
  const isDark = useTheme()?.isDark;
  const [picture, setPicture] = useState<string | null>(null);
  useEffect(() => {
    if (project === null || isDark === undefined) return;
    const stop = new AbortController();
    const body = { format: 'svg', dark: isDark, ...(arrangement === 'stored' ? {} : { layout: arrangement }) };
    untilAnswered(() => raw('POST', url('/api/graph/{project}/render', { project }), body, { signal: stop.signal }), stop.signal)
      .then((response) => response.blob())
      .then((blob) =>
        setPicture((old) => {
          if (old) URL.revokeObjectURL(old);
          return URL.createObjectURL(blob);
        }),
      )
      .catch((error: unknown) => !stop.signal.aborted && refused(error));
    return () => stop.abort();
  }, [project, arrangement, isDark, revision]);
  return (
    <figure className="kg-server">
      <figcaption>Drawn by the server: this browser has no WebGL 2. The table shows the same nodes and edges.</figcaption>
      {picture && <img src={picture} alt="The knowledge graph, drawn by the server" draggable={false} />}
    </figure>
  );
}
