/** The edge of a side panel: dragged, or moved with the arrow keys. */
import { usePrefs } from '../store/prefs';

const LEAST = 180;
const MOST = 640;
const STEP = 16;

export function Splitter({ side }: { side: 'left' | 'right' }) {
  const name = side === 'left' ? 'leftWidth' : 'rightWidth';
  const width = usePrefs((prefs) => prefs[name]);
  const resize = (next: number) => usePrefs.setState({ [name]: Math.max(LEAST, Math.min(MOST, innerWidth / 2, next)) });
  return (
    <div
      className={`splitter ${side}`}
      role="separator"
      aria-orientation="vertical"
      aria-label={side === 'left' ? 'Width of the outline' : 'Width of the inspector'}
      aria-valuenow={Math.round(width)}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      tabIndex={0}
      onPointerDown={(event) => {
        const from = event.clientX;
        const target = event.currentTarget;
        target.setPointerCapture(event.pointerId);
        target.onpointermove = (move) => resize(width + (side === 'left' ? move.clientX - from : from - move.clientX));
        target.onpointerup = () => {
          target.onpointermove = null;
        };
      }}
      onKeyDown={(event) => {
        const grows = side === 'left' ? 'ArrowRight' : 'ArrowLeft';
        if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') resize(width + (event.key === grows ? STEP : -STEP));
      }}
    />
  );
}
