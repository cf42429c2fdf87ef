/** Colours of the page as linear light, for the shaders. */
import { useEffect, useState } from 'react';
import type { Vec3 } from './camera';

export interface Backdrop {
  back: Vec3;
  lineShade: number;
}

export function linear(byte: number): number {
  const share = byte / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function read(): Backdrop {
  const probe = document.createElement('span');
  probe.style.color = 'var(--ground)';
  document.body.append(probe);
  const parts = getComputedStyle(probe).color.match(/[\d.]+/g)?.slice(0, 3).map(Number) ?? [];
  probe.remove();
  const [red = 245, green = 246, blue = 248] = parts;
  const back: Vec3 = [linear(red), linear(green), linear(blue)];
  return { back, lineShade: back[1] > 0.3 ? 0 : 0.17 };
}

/** The backdrop of the present theme. */
export function useBackdrop(): Backdrop {
  const [backdrop, setBackdrop] = useState(read);
  useEffect(() => {
    const update = () => setBackdrop(read());
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const observer = new MutationObserver(update);
    scheme.addEventListener('change', update);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => {
      scheme.removeEventListener('change', update);
      observer.disconnect();
    };
  }, []);
  return backdrop;
}
