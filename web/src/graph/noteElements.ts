/** Frames and comments as elements of the canvas. */
import type { Node } from '@xyflow/react';
import type { Place } from './model';
import type { CardNode } from './NodeCard';
import type { Comment, Frame } from './notes';

export type FrameNode = Node<{ frame: Frame; count: number }, 'frame'>;
export type CommentNode = Node<{ comment: Comment }, 'comment'>;
export type CanvasNode = CardNode | FrameNode | CommentNode;

const PADDING = 20;
const TITLE = 28;

/** A comment that is being written and not stored yet. */
export const DRAFT = 'draft';

/** Id of a note on the canvas: nodes of the function have numbers. */
export const noteKey = (id: string) => `note:${id}`;
export const noteId = (key: string): string | null => (key.startsWith('note:') ? key.slice(5) : null);

/** Frames lie below their nodes, larger ones below smaller ones. */
export function frameNodes(frames: Frame[], cards: CardNode[], picked: Set<string>): FrameNode[] {
  const byId = new Map(cards.map((card) => [Number(card.id), card]));
  return frames
    .flatMap((frame): FrameNode[] => {
      const inside = [...frame.members.keys()].flatMap((id) => byId.get(id) ?? []);
      if (inside.length === 0) return [];
      const left = Math.min(...inside.map((card) => card.position.x)) - PADDING;
      const top = Math.min(...inside.map((card) => card.position.y)) - PADDING - TITLE;
      const width = Math.max(...inside.map((card) => card.position.x + (card.width ?? 0))) + PADDING - left;
      const height = Math.max(...inside.map((card) => card.position.y + (card.height ?? 0))) + PADDING - top;
      return [
        {
          id: noteKey(frame.id),
          type: 'frame',
          position: { x: left, y: top },
          data: { frame, count: inside.length },
          width,
          height,
          measured: { width, height },
          zIndex: -1,
          dragHandle: '.frame-title',
          selected: picked.has(frame.id),
          ariaLabel: `frame ${frame.label.slice(0, 200)}, ${inside.length} nodes`,
        },
      ];
    })
    .sort((a, b) => (b.width ?? 0) * (b.height ?? 0) - (a.width ?? 0) * (a.height ?? 0));
}

export const BELOW = 6;
const LINE = 17.4;
const CHARACTER = 6.3;

/** Height of a text as it is drawn, nearly. */
export function heightOf(text: string, width: number): number {
  const lines = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil((line.length * CHARACTER) / (width - 18))), 0);
  return Math.min(240, 4 + lines * LINE);
}

/** Comments stand below their nodes, or where they were put. */
export function commentNodes(comments: Comment[], cards: CardNode[], moved: Map<string, Place>, picked: Set<string>): CommentNode[] {
  return comments.flatMap((comment): CommentNode[] => {
    const card = comment.nodeId === null ? undefined : cards.find((one) => one.id === String(comment.nodeId));
    if (comment.nodeId !== null && !card) return [];
    const docked = card && { x: card.position.x, y: card.position.y + (card.height ?? 0) + BELOW };
    const place = docked ?? moved.get(comment.id) ?? comment.at ?? { x: 0, y: -60 };
    const width = card?.width ?? 220;
    return [
      {
        id: noteKey(comment.id),
        type: 'comment',
        position: place,
        data: { comment },
        width,
        measured: { width, height: heightOf(comment.text, width) },
        draggable: !docked,
        selected: picked.has(comment.id),
        ariaLabel: `comment ${comment.text.slice(0, 200)}`,
      },
    ];
  });
}

/** The smallest frame that holds the middle of a card, and does not have it yet. */
export function frameBelow(card: CardNode, frames: FrameNode[]): Frame | null {
  const x = card.position.x + (card.width ?? 0) / 2;
  const y = card.position.y + (card.height ?? 0) / 2;
  const holds = ({ position, width = 0, height = 0, data }: FrameNode) =>
    !data.frame.members.has(Number(card.id)) && x > position.x && x < position.x + width && y > position.y && y < position.y + height;
  return frames.filter(holds).at(-1)?.data.frame ?? null;
}
