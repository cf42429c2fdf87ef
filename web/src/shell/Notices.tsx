/** Messages: what happened, and what to do next. They never cover what a person works on for long, and take no focus. */
import { dismiss, useStore } from '../store/state';
import { Icon } from '../ui/icons';
import { sentence } from '../ui/text';
import { Works } from './Works';

export function Notices() {
  const notices = useStore((state) => state.notices);
  return (
    <div className="notices" role="log" aria-live="polite" aria-label="Messages">
      <Works />
      {notices.map((notice) => (
        <div key={notice.id} className={`notice ${notice.tone}`}>
          <div className="notice-text">
            <p>{sentence(notice.text.slice(0, 600))}</p>
            {notice.hint && <p className="hint">{sentence(notice.hint.slice(0, 400))}</p>}
          </div>
          {notice.action && (
            <button
              className="button small"
              onClick={() => {
                dismiss(notice.id);
                notice.action?.run();
              }}
            >
              {notice.action.label}
            </button>
          )}
          <button className="icon" aria-label="Dismiss" onClick={() => dismiss(notice.id)}>
            <Icon name="close" size={12} />
          </button>
        </div>
      ))}
    </div>
  );
}
