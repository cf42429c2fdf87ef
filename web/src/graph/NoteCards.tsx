/** Frames and comments on the canvas: their texts are edited where they stand. */
import type { NodeProps } from '@xyflow/react';
import { memo, useEffect, useRef, useState } from 'react';
import { Icon } from '../ui/icons';
import { NameField } from '../ui/NameField';
import { addComment, colourFrame, relabel, removeNotes } from './annotate';
import { DRAFT, type CommentNode, type FrameNode } from './noteElements';
import { COLOURS } from './notes';

export const FrameCard = memo(function FrameCard({ data: { frame }, selected }: NodeProps<FrameNode>) {
  const [isNaming, setNaming] = useState(false);
  return (
    <div className={`frame frame-${frame.colour} ${selected ? 'selected' : ''}`}>
      <div className="frame-title" onDoubleClick={() => setNaming(true)}>
        {isNaming ? (
          <NameField
            label="Name of the frame"
            name={frame.label}
            className="nodrag"
            onEnd={(label) => {
              setNaming(false);
              if (label !== frame.label) void relabel(frame.id, label);
            }}
          />
        ) : (
          <span className="clip" title={`${frame.label}: drag moves its nodes, double click renames it`}>
            {frame.label}
          </span>
        )}
        {selected && !isNaming && (
          <span className="frame-tools nodrag">
            {COLOURS.map((colour) => (
              <button key={colour} className={`dot frame-${colour}`} aria-label={`Colour: ${colour}`} aria-pressed={colour === frame.colour} onClick={() => void colourFrame(frame.id, colour)} />
            ))}
            <button className="icon" aria-label={`Remove the frame ${frame.label.slice(0, 80)}`} title="Remove the frame; its nodes stay" onClick={() => void removeNotes([frame.id])}>
              <Icon name="close" size={12} />
            </button>
          </span>
        )}
      </div>
    </div>
  );
});

export const CommentCard = memo(function CommentCard({ data: { comment }, selected, positionAbsoluteX, positionAbsoluteY }: NodeProps<CommentNode>) {
  const isDraft = comment.id === DRAFT;
  const [isWriting, setWriting] = useState(isDraft);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isWriting) field.current?.focus();
  }, [isWriting]);

  function finish(text: string): void {
    setWriting(false);
    const written = text.trim();
    if (isDraft) {
      if (written) void addComment(written, comment.nodeId, { x: positionAbsoluteX, y: positionAbsoluteY });
      window.dispatchEvent(new CustomEvent('fibula-comment', { detail: null }));
    } else if (written === '') void removeNotes([comment.id]);
    else if (written !== comment.text) void relabel(comment.id, written);
  }

  if (isWriting) {
    return (
      <textarea
        ref={field}
        className="comment nodrag nopan nowheel"
        aria-label="Comment"
        placeholder="Why it is so…"
        defaultValue={comment.text}
        maxLength={2000}
        rows={2}
        onBlur={(event) => finish(event.target.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Enter' && !event.shiftKey) event.currentTarget.blur();
          if (event.key === 'Escape') {
            event.currentTarget.value = comment.text;
            event.currentTarget.blur();
          }
        }}
      />
    );
  }
  return (
    <div className={`comment ${selected ? 'selected' : ''} ${comment.nodeId === null ? '' : 'docked'}`} title="Double click changes it; Delete removes it" onDoubleClick={() => setWriting(true)}>
      {comment.text}
    </div>
  );
});
