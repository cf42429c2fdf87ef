/** Icons of the preview, on a grid of 16. */
const PATHS = {
  section: 'M8 1.5 13.5 4.7v6.6L8 14.5l-5.5-3.2V4.7ZM8 1.5v13M10 5.5l-2 2M11.500 8 8 11.500M12.500 11 10 13.300',
  slice: 'M2 5.500 8 2.500l6 3-6 3ZM2 8.500l6 3 6-3M2 11.300l6 3 6-3',
  compare: 'M8 2v12M2.500 4H6v8H2.500ZM10 4h3.500v8H10',
  ruler: 'M2 11.500 11.500 2 14 4.500 4.500 14ZM5 8.500l1.500 1.500M7 6.500 8 7.500M9 4.500l1.500 1.500',
  fit: 'M2.500 6V2.500H6M10 2.500h3.500V6M13.500 10v3.500H10M6 13.500H2.500V10',
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.3" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
