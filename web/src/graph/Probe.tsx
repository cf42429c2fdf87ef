/** The point at which values are shown at the ports. */
import { set, useStore } from '../store/state';
import { ValueField } from '../ui/ValueField';
import { probeValue } from './useProbe';

const EDITABLE = new Set(['float', 'float3', 'integer']);

export function Probe() {
  const inputs = useStore((state) => state.graph?.inputs);
  const probe = useStore((state) => state.probe);
  const fields = inputs?.filter((port) => EDITABLE.has(port.type)) ?? [];
  if (fields.length === 0) return null;
  return (
    <div className="probe" role="group" aria-label="Probe point: inputs for the values at the ports">
      <span className="probe-label">Values at</span>
      {fields.slice(0, 4).map((port) => (
        <label key={port.name}>
          <span className="clip">{port.name}</span>
          <ValueField label={`probe ${port.name}`} type={port.type} value={probeValue(port, probe)} onCommit={(value) => set({ probe: { ...probe, [port.name]: value } })} />
        </label>
      ))}
    </div>
  );
}
