/** Named parameters of the open function, as sliders. */
import { useEffect, useRef, useState } from 'react';
import { draftValue } from '../graph/commands';
import { setValue } from '../graph/edits';
import { show } from '../graph/show';
import { get, set, useStore } from '../store/state';
import { write } from '../store/write';
import { short, stepOf, toStep } from '../ui/numbers';
import { ValueField } from '../ui/ValueField';

interface Named {
  name: string;
  node_id: number;
  parameter: string;
  value: number;
}

/** Named constants: nodes of the kind ConstantScalar with a name. */
function useNamed(): Named[] {
  const graph = useStore((state) => state.graph);
  return (graph?.nodes ?? []).flatMap((node) => {
    if (node.node_type !== 'ConstantScalar' || !node.display_name) return [];
    const setting = node.parameters?.value;
    if (!setting || !('value' in setting) || typeof setting.value !== 'number') return [];
    return [{ name: node.display_name, node_id: node.node_id, parameter: 'value', value: setting.value }];
  });
}

const MOST = 40;

const SYMBOLS: Record<string, string> = { micron: 'µm', millimeter: 'mm', centimeter: 'cm', meter: 'm', inch: 'in', foot: 'ft' };

export function Parameters() {
  const named = useNamed();
  const unit = useStore((state) => state.overview?.unit);
  if (named.length === 0) return null;
  return (
    <section aria-label="Parameters" className="parameters">
      <div className="section-title">
        <h2>Parameters</h2>
        {unit && <span className="meta">{SYMBOLS[unit] ?? unit}</span>}
      </div>
      {named.slice(0, MOST).map((one) => (
        <Slider key={one.node_id} named={one} />
      ))}
      {named.length > MOST && <p className="hint more">{named.length - MOST} more are in the table.</p>}
    </section>
  );
}

/** The range begins around the value and stays while the person is at it. */
function rangeOf(value: number): [number, number] {
  if (value === 0) return [-1, 1];
  const round = 10 ** Math.floor(Math.log10(Math.abs(value)));
  const far = Math.ceil((2 * Math.abs(value)) / round) * round;
  return value > 0 ? [0, far] : [-far, 0];
}

function Slider({ named }: { named: Named }) {
  const [range, setRange] = useState(() => rangeOf(named.value));
  const [draft, setDraft] = useState<number | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [low, high] = range;
  const current = draft ?? named.value;
  useEffect(() => {
    if (named.value < low || named.value > high) setRange(rangeOf(named.value));
  }, [named.value, low, high]);
  const step = stepOf(Math.max(Math.abs(low), Math.abs(high)));

  function change(value: number): void {
    setDraft(value);
    draftValue(named.node_id, named.parameter, value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void commit(value), 400);
  }

  async function commit(value: number): Promise<void> {
    clearTimeout(timer.current);
    const { graph } = get();
    if (graph && value !== named.value) {
      const setting = () => get().graph?.nodes.find((node) => node.node_id === named.node_id)?.parameters?.[named.parameter] ?? null;
      await write([setValue(graph.function_id, { node_id: named.node_id, name: named.parameter }, value)], { basis: setting });
    }
    set({ draft: null });
    setDraft(null);
  }

  return (
    <div className="slider">
      <button className="slider-name clip" onClick={() => show(named.node_id)} title={`${named.name}: show its node`}>
        {named.name}
      </button>
      <input
        type="range"
        aria-label={named.name}
        aria-valuetext={short(current)}
        min={low}
        max={high}
        step={step}
        value={current}
        onChange={(event) => change(toStep(Number(event.target.value), step))}
        onPointerUp={() => draft !== null && void commit(draft)}
      />
      <ValueField label={`value of ${named.name}`} type="float" value={current} onCommit={(value) => void commit(value as number)} onDraft={(value) => draftValue(named.node_id, named.parameter, value)} />
    </div>
  );
}
