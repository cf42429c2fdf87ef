/** Between points of the part and places of its picture, in space or in a slice. */
import type { Schema } from '../api/client';
import type { Subject } from '../store/state';
import { add, dot, frameOf, scale, sub, type Box, type Vec3 } from './camera';
import { sliceView } from './Slice';
import { pictureOptions } from './Solid';
import { subjectBody, view } from './state';

/** What a picture shows. */
export interface Stage {
  subject: Subject;
  revision: number;
  bounds: Box;
  /** True if the bounds cut the part. */
  cuts: boolean;
  size: { width: number; height: number };
  /** Height of the slice; null in space. */
  z: number | null;
}

/** Place of a point in the picture, in pixels from its upper left corner. */
export function screenOf(point: Vec3, { bounds, size, z }: Stage): [number, number] {
  if (z !== null) return sliceView(bounds, size).toScreen(point);
  const frame = frameOf(view().camera, bounds, size.width, size.height);
  const from = sub(point, frame.eye);
  return [size.width / 2 + dot(from, frame.right) / frame.pixel, size.height / 2 - dot(from, frame.up) / frame.pixel];
}

/** The request for what lies at a place of the picture. */
export function pickBody({ subject, revision, bounds, cuts, size, z }: Stage, x: number, y: number): Schema['PickPart'] {
  const base = { ...subjectBody(subject), revision, ...(cuts ? { bounds } : {}) };
  if (z !== null) {
    const [px, py] = sliceView(bounds, size).toPoint([x, y]);
    return { ...base, point: [px, py, z], orbit: [-90, 90], section: { z } } as Schema['PickPart'];
  }
  const { camera, section } = view();
  const frame = frameOf(camera, bounds, size.width, size.height);
  const across = add(scale(frame.right, (x - size.width / 2) * frame.pixel), scale(frame.up, (size.height / 2 - y) * frame.pixel));
  return { ...base, ray: { origin: add(frame.eye, across), direction: frame.forward }, ...pictureOptions(camera, section, bounds) } as object as Schema['PickPart'];
}
