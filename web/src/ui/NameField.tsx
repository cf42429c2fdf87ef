/** The field of a name that is edited where it stands: Enter or leaving it ends with its text, Escape with the old name. */
interface Props {
  label: string;
  name: string;
  className: string;
  /** `byKey` is true if a key ended it. */
  onEnd: (text: string, byKey: boolean) => void;
}

export function NameField({ label, name, className, onEnd }: Props) {
  let byKey = false;
  return (
    <input
      className={className}
      aria-label={label}
      placeholder={label}
      defaultValue={name}
      autoFocus
      autoComplete="off"
      maxLength={200}
      onFocus={(event) => event.target.select()}
      onBlur={(event) => onEnd(event.target.value.trim() || name, byKey)}
      onKeyDown={(event) => {
        event.stopPropagation();
        byKey = event.key === 'Enter' || event.key === 'Escape';
        if (event.key === 'Escape') event.currentTarget.value = name;
        if (byKey) event.currentTarget.blur();
      }}
    />
  );
}
