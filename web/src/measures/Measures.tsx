/** Volume, area, size, mass and thinnest wall of what the preview shows, with their errors. */
import { useEffect, useState } from 'react';
import { useStore, type Subject } from '../store/state';
import { usePreview } from '../preview/state';
import { number, rounded, unitSign } from '../ui/numbers';
import { useMeasures, type Figure } from './useMeasures';

const DENSITY = 'fibula-density';
const LONG_MS = 1000;

export function Measures({ project, subject }: { project: string; subject: Subject }) {
  const revision = useStore((state) => state.functionsRevision);
  const bounds = usePreview((state) => state.bounds);
  const cuts = usePreview((state) => state.cuts);
  const [density, setDensity] = useState<number | null>(() => Number(localStorage.getItem(DENSITY)) || null);
  const { measures, isStale, since, share, refusal, cancel } = useMeasures(project, subject, revision, density, bounds, cuts);
  const seconds = useSeconds(since);
  if (refusal) {
    return (
      <section className="measures" aria-label="Measures">
        <h2 className="section-title">Measures</h2>
        <p className="quiet">{refusal.text}</p>
      </section>
    );
  }
  return (
    <section className="measures" aria-label="Measures" aria-busy={isStale}>
      <h2 className="section-title">
        <span>Measures</span>
        {seconds !== null && (
          <button className="button plain small" onClick={cancel} title="Keep the measures that are shown">
            refining {share === null ? `${seconds} s` : `${Math.floor(share * 100)} %`} ✕
          </button>
        )}
      </h2>
      <dl className={isStale ? 'stale' : ''}>
        <Row name="Volume" figures={measures ? [measures.volume] : null} />
        <Row name="Area" figures={measures ? [measures.area] : null} />
        <Row name="Size" figures={measures ? measures.box : null} />
        <Row name="Thinnest wall" figures={measures ? [measures.wall] : null} />
        <dt>
          <label htmlFor="density">Mass</label>
        </dt>
        <dd>
          {density !== null && (measures ? <Shown figures={[measures.mass]} /> : <Waiting />)}
          <Density value={density} onChange={setDensity} />
        </dd>
      </dl>
      {measures && measures.warnings.length > 0 && (
        <details className="warnings">
          <summary>
            {measures.warnings.length} {measures.warnings.length === 1 ? 'remark' : 'remarks'}
          </summary>
          <ul>
            {measures.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function useSeconds(since: number | null): number | null {
  const [now, setNow] = useState(0);
  useEffect(() => {
    if (since === null) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [since]);
  if (since === null || now - since < LONG_MS) return null;
  return Math.round((now - since) / 1000);
}

function Row({ name, figures }: { name: string; figures: (Figure | null)[] | null }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{figures === null ? <Waiting /> : <Shown figures={figures} />}</dd>
    </>
  );
}

function Waiting() {
  return <span className="skeleton-text" role="img" aria-label="being measured" />;
}

/** A click shows all digits and copies them. */
function Shown({ figures }: { figures: (Figure | null)[] }) {
  const [isFull, setFull] = useState(false);
  const [isCopied, setCopied] = useState(false);
  const known = figures.filter((figure) => figure !== null);
  const [first] = known;
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1200);
    return () => clearTimeout(timer);
  }, [isCopied]);
  if (!first) return <span className="quiet">none</span>;
  const full = known.map((figure) => String(figure.value)).join(' × ');
  const parts = known.map((figure) => rounded(figure.value, figure.error));
  const isDoubtful = first.error !== null && first.error >= Math.abs(first.value);
  return (
    <button
      className={`figure ${parts.length > 1 ? 'several' : ''}`}
      title={`${full} ${unitSign(first.unit)}: a click copies it`}
      onClick={() => {
        setFull(!isFull);
        navigator.clipboard?.writeText(full).then(
          () => setCopied(true),
          () => {},
        );
      }}
    >
      {isCopied && <span className="copied">copied </span>}
      <span className="value">{isFull ? full : isDoubtful ? `< ${number(Number((Math.abs(first.value) + (first.error ?? 0)).toPrecision(2)))}` : parts.map((part) => part.value).join('\u2009×\u2009')}</span>
      <span className="unit">
        {!isFull && !isDoubtful && parts[0]?.error !== null && ` ±\u00a0${parts[0]?.error}`}
        {`${isFull || isDoubtful ? ' ' : '\u00a0'}${unitSign(first.unit)}`}
      </span>
    </button>
  );
}

function Density({ value, onChange }: { value: number | null; onChange: (density: number | null) => void }) {
  const [text, setText] = useState(value === null ? '' : String(value));
  function commit(): void {
    const read = Number(text.replace(',', '.'));
    const next = text.trim() !== '' && Number.isFinite(read) && read > 0 ? read : null;
    if (next === null) setText('');
    localStorage.setItem(DENSITY, next === null ? '' : String(next));
    onChange(next);
  }
  return (
    <span className="density">
      <input
        id="density"
        className="field"
        inputMode="decimal"
        placeholder="density"
        aria-label="Density in grams per cubic centimetre"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => event.key === 'Enter' && commit()}
      />
      <span className="unit">g/cm³</span>
    </span>
  );
}
