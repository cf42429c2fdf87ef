/** A node: a quiet card with its name, ports, and values in line. */
import { Handle, Position, useStoreApi, type Node, type NodeProps } from '@xyflow/react';
import { memo } from 'react';
import type { Intent } from '../knowledge/intent';
import { Icon, PortShape } from '../ui/icons';
import { shown } from '../ui/numbers';
import { ValueField } from '../ui/ValueField';
import { NodeMarks } from '../marks/NodeMarks';
import { markNode } from '../marks/store';
import { set, useStore, type Glow } from '../store/state';
import { HEAD, ROW } from './card';
import { commitValue, draftValue, resourceChoices } from './commands';
import { isSource, nodeTitle, type GraphNode } from './model';
import { useNotes } from './notes';
import { focusPort, toggleShape } from './show';
import type { Parameter, Signature } from './types';

export interface CardData extends Record<string, unknown> {
  node: GraphNode;
  signature: Signature;
  family: string;
  /** Name of the function that it calls. */
  callee: string | null;
  missing: string[];
  linkedPorts: Set<string>;
  isMuted: boolean;
}

export type CardNode = Node<CardData, 'card'>;

export const NodeCard = memo(function NodeCard({ data, selected }: NodeProps<CardNode>) {
  const { node, signature, family, callee, missing, linkedPorts, isMuted } = data;
  const intents = useNotes((state) => state.intents.get(node.node_id));
  const functionId = useStore((state) => state.trail.at(-1));
  const glow = useStore((state) => state.glows.get(node.node_id));
  const rows = Math.max(signature.parameters.length, signature.ports.length);
  const title = callee ?? nodeTitle(node);
  const subtitle = callee || node.display_name ? node.node_type : null;
  return (
    <div
      onContextMenu={(event) => {
        const handle = (event.target as HTMLElement).closest<HTMLElement>('[data-handleid]');
        const port = handle?.dataset.handleid;
        event.preventDefault();
        if (functionId !== undefined) markNode(functionId, node.node_id, title, { x: event.clientX, y: event.clientY }, port?.slice(port.indexOf(':') + 1));
      }}
      className={`card family-${family.toLowerCase()} ${selected ? 'selected' : ''} ${isMuted ? 'muted' : ''} ${glow ? `glow ${glow.kind}` : ''}`}
    >
      <div className="card-head">
        <span className="card-title clip" title={subtitle ? `${subtitle} · node ${node.node_id}` : `node ${node.node_id}`}>
          {title}
        </span>
        {isMuted && <span className="mute-tag">muted</span>}
        {intents && <Tied node={node.node_id} intents={intents} />}
        <NodeMarks nodeId={node.node_id} />
        {missing.length > 0 && (
          <button className="badge nodrag" aria-label={`not set: ${missing.join(', ')}`} title={`Not set: ${missing.join(', ')}. A click leads to it.`} onClick={() => missing[0] !== undefined && focusPort(node.node_id, missing[0])}>
            {missing.length}
          </button>
        )}
      </div>
      {glow && <Who glow={glow} />}
      {Array.from({ length: rows }, (_, row) => {
        const parameter = signature.parameters[row];
        const port = signature.ports[row];
        const top = HEAD + row * ROW;
        return (
          <div className="card-row" key={row} style={{ top, height: ROW }}>
            {parameter && <Input node={node} parameter={parameter} isMissing={missing.includes(parameter.name)} />}
            {port && <Output node={node} port={port} isNamed={port.name !== parameter?.name} isLinked={linkedPorts.has(port.name)} />}
          </div>
        );
      })}
    </div>
  );
});

/** Knowledge that is tied to the node; a click shows it in the inspector. */
function Tied({ node, intents }: { node: number; intents: Intent[] }) {
  const texts = intents.map((intent) => `${intent.label} (${intent.type})`.slice(0, 200));
  return (
    <button className="tied nodrag" aria-label={`Noted: ${texts.join('; ').slice(0, 400)}`} title={texts.slice(0, 12).join('\n')} onClick={() => set({ selection: [node] })}>
      <Icon name="note" size={13} />
      {intents.length > 1 && intents.length}
    </button>
  );
}

/** A constant with one value: the field says everything. */
function isConstant(node: GraphNode): boolean {
  return node.node_type === 'ConstantScalar';
}

function Who({ glow }: { glow: Glow }) {
  return (
    <span className="who clip" title={`changed by ${glow.who}`}>
      {glow.who}
    </span>
  );
}

function Input({ node, parameter, isMissing }: { node: GraphNode; parameter: Parameter; isMissing: boolean }) {
  const functionId = useStore((state) => state.trail.at(-1));
  const target = functionId === undefined ? null : { functionId, nodeId: node.node_id, name: parameter.name };
  const setting = node.parameters?.[parameter.name];
  const isLinked = isSource(setting);
  const value = setting && !isSource(setting) ? setting.value : undefined;
  return (
    <>
      <Handle type="target" position={Position.Left} id={`in:${parameter.name}`} className={isMissing ? 'missing' : ''} title={`${parameter.name}: ${parameter.type}`}>
        <PortShape type={parameter.type} />
      </Handle>
      {!isConstant(node) && (
        <span className="port-name clip" title={parameter.name}>
          {parameter.name}
        </span>
      )}
      {node.node_type === 'End' && isLinked && <Result source={`${setting.source.node_id}:${setting.source.port}`} name={parameter.name} />}
      <NodeMarks nodeId={node.node_id} port={parameter.name} />
      {!isLinked && node.node_type !== 'End' && (
        <ValueField
          label={`${parameter.name} of ${nodeTitle(node)}`}
          type={parameter.type}
          value={value}
          placeholder={parameter.hasDefault ? shown(parameter.default) : '–'}
          {...(parameter.type === 'resource_id' ? { choices: resourceChoices(parameter.refers) } : {})}
          onCommit={(next) => target && void commitValue(target, next)}
          onDraft={(next) => target && draftValue(target, next)}
        />
      )}
    </>
  );
}

/** The value of an output of the function. */
function Result({ source, name }: { source: string; name: string }) {
  const value = useStore((state) => state.values.get(source));
  if (value === undefined) return null;
  return (
    <>
      <span className="grow" />
      <output className="live result mono clip" title={`${name} = ${shown(value, 15)} at the probe point`}>
        {shown(value)}
      </output>
    </>
  );
}

function Output({ node, port, isNamed, isLinked }: { node: GraphNode; port: { name: string; type: string }; isNamed: boolean; isLinked: boolean }) {
  const value = useStore((state) => state.values.get(`${node.node_id}:${port.name}`));
  const functionId = useStore((state) => state.trail.at(-1));
  const subject = useStore((state) => state.subject);
  const isShown = subject.kind === 'port' && subject.functionId === functionId && subject.nodeId === node.node_id && subject.port === port.name;
  const flow = useStoreApi();
  const hint = port.type === 'float' ? '; a click shows it as the shape' : '';
  const hidesValue = isConstant(node);
  return (
    <>
      {!hidesValue && <span className="grow" />}
      {value !== undefined && !hidesValue && port.type !== 'matrix4x4' && (
        <output className="live mono clip" title={`${port.name} = ${shown(value, 15)} at the probe point`}>
          {shown(value)}
        </output>
      )}
      <NodeMarks nodeId={node.node_id} port={port.name} />
      {isNamed && (value === undefined || hidesValue) && (
        <span className="port-name out clip" title={port.name}>
          {port.name}
        </span>
      )}
      <Handle
        type="source"
        position={Position.Right}
        id={`out:${port.name}`}
        className={`${isLinked ? 'linked' : ''} ${isShown ? 'shown' : ''}`}
        title={`${port.name}: ${port.type}${hint}`}
        onClickCapture={(event) => {
          // A click that ends a link, begun by a click at an input, is left to the canvas.
          if (port.type !== 'float' || flow.getState().connectionClickStartHandle) return;
          event.stopPropagation();
          if (event.detail < 2) toggleShape(functionId, node.node_id, port.name);
        }}
        onDoubleClick={(event) => event.stopPropagation()}
      >
        <PortShape type={port.type} />
      </Handle>
    </>
  );
}
