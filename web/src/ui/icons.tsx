/** Icons, drawn on a grid of 16. */
const PATHS = {
  undo: 'M6 3 3 6l3 3M3 6h6a4 4 0 0 1 0 8H6',
  redo: 'm10 3 3 3-3 3M13 6H7a4 4 0 0 0 0 8h3',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14',
  plus: 'M8 3v10M3 8h10',
  close: 'm4 4 8 8m0-8-8 8',
  layout: 'M2.5 3h4v3h-4zM2.5 10h4v3h-4zM10 6.5h3.5v3H10zM6.5 4.5h1.7c1 0 .3 3.5 1.8 3.5M6.5 11.5h1.7c1 0 .3-3.5 1.8-3.5',
  fit: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6Zm0-4v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5 6 6 0 1 0 13.5 9.5Z',
  left: 'M2.5 3h11v10h-11zM6 3v10',
  right: 'M2.5 3h11v10h-11zM10 3v10',
  bottom: 'M2.5 3h11v10h-11zM2.5 9.5h11',
  export: 'M8 10V2m0 0L5 5m3-3 3 3M3 9v4h10V9',
  import: 'M8 2v8m0 0 3-3m-3 3L5 7M3 9v4h10V9',
  copy: 'M5.5 5.5h8v8h-8zM3 10.5H2.5v-8h8V3',
  chevron: 'm6 4 4 4-4 4',
  down: 'm4 6 4 4 4-4',
  back: 'M13 8H3m0 0 4-4M3 8l4 4',
  probe: 'M8 1.5v4M8 10.5v4M1.5 8h4M10.5 8h4',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5h.5M7 6.5h.5M10 6.5h.5M12 6.5h.2M4.5 9.5h7',
  function: 'M11 3c-3-1-3 1-3.5 5S6.500 14 4 13M5 7h5',
  solid: 'm8 1.500 5.500 3v7L8 14.500l-5.500-3v-7zM2.500 4.500 8 7.500l5.500-3M8 7.500v7',
  graph: 'M4 6a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM12 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM5 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM6 4.500l4.200 1.800M6.600 11l3.800-2.800M4.200 6l.6 4',
  note: 'M3 2.5h10v8l-3 3H3zM13 10.5h-3v3M5.500 5.500h5M5.500 8h3',
  frame: 'M2.5 3.500h11v9h-11zM2.5 6h11',
  follow: 'M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM1.500 8S4 3.500 8 3.500 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8Z',
  trash: 'M3 4.500h10M6.500 4V2.500h3V4M4.500 4.500l.5 9h6l.5-9',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.3" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The shape of a port: circle, diamond, square or triangle, so that types are told apart without colour. */
export function PortShape({ type }: { type: string }) {
  return (
    <svg className="port-shape" width="10" height="10" viewBox="0 0 10 10" style={{ color: `var(--type-${type}, var(--text-3))` }} aria-hidden="true">
      {shape(type)}
    </svg>
  );
}

function shape(type: string) {
  switch (type) {
    case 'float':
      return <circle cx="5" cy="5" r="3.6" fill="currentColor" />;
    case 'float3':
      return <path d="M5 .6 9.400 5 5 9.400 .6 5Z" fill="currentColor" />;
    case 'matrix4x4':
      return <rect x="1.300" y="1.300" width="7.400" height="7.400" rx="0.800" fill="currentColor" />;
    case 'resource_id':
      return <path d="M1.300 1 9 5 1.300 9Z" fill="currentColor" />;
    case 'integer':
      return <circle cx="5" cy="5" r="3" fill="none" stroke="currentColor" strokeWidth="2" />;
    default:
      return <rect x="2" y="2" width="6" height="6" fill="none" stroke="currentColor" strokeWidth="2" />;
  }
}
