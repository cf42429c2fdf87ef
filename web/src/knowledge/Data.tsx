/** The data of a node or edge: members with JSON values. */
import { useState } from 'react';
import { Field } from './Field';
import { LongText, oneLine } from './text';

/** A value as it is typed: JSON, or else a text. */
export function parseValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export function showValue(value: unknown): string {
  if (typeof value === 'string') return parseValue(value) === value ? value : JSON.stringify(value);
  return JSON.stringify(value);
}

export function Data({ data, onWrite }: { data: Record<string, unknown>; onWrite: (patch: Record<string, unknown>) => Promise<boolean> }) {
  const [name, setName] = useState('');
  const members = Object.entries(data);
  return (
    <>
      <h3 className="section-title">Data</h3>
      <dl className="kg-data">
        {members.map(([key, value]) => (
          <div key={key}>
            <dt title={oneLine(key, 200)}>
              <bdi className="clip">{oneLine(key, 40)}</bdi>
            </dt>
            <dd>
              {showValue(value).length > 600 ? <LongText text={showValue(value)} /> : <Field name={`Value of ${oneLine(key, 40)}`} isTitle={false} value={showValue(value)} onWrite={(text) => onWrite({ [key]: parseValue(text) })} />}
              <button className="kg-drop-item" aria-label={`Remove ${oneLine(key, 40)}`} onClick={() => void onWrite({ [key]: null })}>
                ×
              </button>
            </dd>
          </div>
        ))}
        <div>
          <dt>
            <input className="field" aria-label="Name of a new member" placeholder="name" value={name} onChange={(event) => setName(event.target.value)} />
          </dt>
          <dd>
            <Field
              name="Its value"
              isLong
              value=""
              check={() => (name.trim() === '' ? 'Name it first.' : null)}
              onWrite={async (text) => {
                const isWritten = await onWrite({ [name.trim()]: parseValue(text) });
                if (isWritten) setName('');
                return isWritten;
              }}
            />
          </dd>
        </div>
      </dl>
    </>
  );
}
