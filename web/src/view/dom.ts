/** Elements of the views. */
type Child = Node | string | null | false | undefined;
type Properties<Name extends keyof HTMLElementTagNameMap> = Partial<Omit<HTMLElementTagNameMap[Name], 'style' | 'dataset'>> & { label?: string; pressed?: boolean };

/** Creates an element with properties and children. */
export function element<Name extends keyof HTMLElementTagNameMap>(name: Name, { label, pressed, ...properties }: Properties<Name> = {}, ...children: Child[]): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  if (label !== undefined) made.setAttribute('aria-label', label);
  if (pressed !== undefined) made.setAttribute('aria-pressed', String(pressed));
  made.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
  return made;
}

/** The fields of an object that have these names. */
export const onlyFields = (from: Record<string, unknown>, names: readonly string[]): Record<string, unknown> => Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));

/** A row of buttons of which one is pressed. */
export function choice<Value extends string>(label: string, values: readonly Value[], chosen: Value | null, choose: (value: Value) => void): HTMLElement {
  const buttons = values.map((value) =>
    element('button', {
      type: 'button',
      textContent: value,
      pressed: value === chosen,
      onclick: () => {
        for (const button of buttons) button.setAttribute('aria-pressed', String(button.textContent === value));
        choose(value);
      },
    }),
  );
  return element('div', { className: 'choice', role: 'group', label }, ...buttons);
}

/** Runs the newest of many requests, one at a time: what comes while one runs replaces what waits. */
export function latest<Request>(run: (request: Request) => Promise<void>): (request: Request) => void {
  let waiting: { request: Request } | null = null;
  let isBusy = false;
  async function work(): Promise<void> {
    isBusy = true;
    while (waiting) {
      const { request } = waiting;
      waiting = null;
      await run(request);
    }
    isBusy = false;
  }
  return (request) => {
    waiting = { request };
    if (!isBusy) void work();
  };
}
