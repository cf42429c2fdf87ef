/** The distance between two points of the part. */
import { useRef } from 'react';
import { api } from '../api/client';
import { setMarks } from '../marks/store';
import { refused } from '../store/session';
import { notify, useStore, type Subject } from '../store/state';
import { number, rounded, unitSign } from '../ui/numbers';
import { Aim } from './Aim';
import { frameOf, sub, type Box, type Vec3 } from './camera';
import { Icon } from './icons';
import { pickBody, screenOf, type Stage } from './pointing';
import { heightOf, sliceView } from './Slice';
import { AXES, setView, usePreview, view } from './state';
import { useSize } from './useSize';

export function RulerButton() {
  const isOn = usePreview((state) => state.ruler !== null);
  return (
    <button className="icon" aria-label="Measure a distance" title="Measure a distance" aria-pressed={isOn} onClick={() => {
        setMarks({ isPointing: false });
        setView({ ruler: isOn ? null : [] });
      }}>
      <Icon name="ruler" />
    </button>
  );
}

interface Props {
  subject: Subject;
  revision: number;
  bounds: Box;
  cuts: boolean;
  isSlice: boolean;
}

export function Ruler(props: Props) {
  const points = usePreview((state) => state.ruler);
  const project = useStore((state) => state.project);
  return points === null || project === null ? null : <Layer {...props} project={project} points={points} />;
}

function Layer({ project, points, subject, revision, bounds, cuts, isSlice }: Props & { project: string; points: Vec3[] }) {
  const layer = useRef<HTMLDivElement>(null);
  const size = useSize(layer);
  const unit = unitSign(usePreview((state) => state.unit));
  const share = usePreview((state) => state.height);
  const camera = usePreview((state) => state.camera);
  const isServer = usePreview((state) => state.depthAt === null);
  const stage: Stage = { subject, revision, bounds, cuts, size, z: isSlice ? heightOf(bounds, share) : null };
  const [from, to] = points;
  const ends = size.width < 2 ? [] : points.map((point) => screenOf(point, stage));

  async function take(x: number, y: number): Promise<void> {
    try {
      const found = stage.z === null ? await api.post('/api/projects/{project}/pick', { path: { project }, body: pickBody(stage, x, y) }) : null;
      const point = found ? found.point : [...sliceView(bounds, size).toPoint([x, y]), stage.z];
      if (!point || (found && !found.hit)) return void notify({ tone: 'info', text: 'There is no material at this place.' });
      const before = view().ruler ?? [];
      setView({ ruler: [...(before.length === 2 ? [] : before), point as Vec3] });
    } catch (error) {
      refused(error);
    }
  }

  // A click is as exact as a pixel.
  const { pixel } = isSlice ? sliceView(bounds, size) : frameOf(camera, bounds, size.width, size.height);
  const short = (length: number) => rounded(length, pixel).value;
  const along = from && to ? sub(to, from) : null;
  const length = along ? Math.hypot(...along) : 0;
  const [a, b] = ends;
  const hint = along ? (
    <span className="ruler-length" role="status" title={`${number(length)} ${unit}; a click begins another distance`}>
      <b>
        {short(length)} {unit}
      </b>
      {AXES.map((name, axis) => (
        <span key={name} className={`axis-${name}`}>
          {name} {short(along[axis as 0])}
        </span>
      ))}
    </span>
  ) : from ? (
    'Click the other point'
  ) : (
    'Click the first point'
  );
  return (
    <div ref={layer} className="pins ruler">
      <Aim bounds={isSlice ? null : bounds} isCentred={isServer} layer={layer} hint={hint} onPoint={(x, y) => void take(x, y)} onEnd={() => setView({ ruler: null })} />
      <svg aria-hidden="true">
        {a && b && <line x1={a[0]} y1={a[1]} x2={b[0]} y2={b[1]} />}
        {ends.map(([x, y], index) => (
          <circle key={index} cx={x} cy={y} r={3} />
        ))}
      </svg>
    </div>
  );
}
