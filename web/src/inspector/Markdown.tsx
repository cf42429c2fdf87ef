/** The little markup of the catalogue's texts: `code`. Everything else is text. */
export function Markdown({ text }: { text: string }) {
  const parts = text.split('`');
  return (
    <p>
      {parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </p>
  );
}
