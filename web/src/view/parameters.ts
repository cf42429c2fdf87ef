/** Parameters as sliders and numbers. */
import { rangeOf, sliderStep, toStep, unitSign } from '../ui/numbers';
import type { Parameter as ListedParameter } from '../measures/named';
import { element } from './dom';

export type Numbers = number | number[];
export type Parameter = ListedParameter & { value: Numbers };

/** True for values that sliders and fields can set. */
export const isNumeric = (parameter: ListedParameter): parameter is Parameter => [parameter.value].flat().every((part) => typeof part === 'number');

/** A value that is tried. */
export interface Draft {
  parameter: Parameter;
  value: Numbers;
}

type Change = (parameter: Parameter, value: Numbers, isMoving: boolean) => void;

/** Shows a value of a parameter, its own or one that is tried. */
export function parameterRow(parameter: Parameter, value: Numbers, change: Change): HTMLElement {
  const { name, unit } = parameter;
  const title = element('span', { className: 'name', title: name }, name, unit && element('span', { className: 'quiet' }, ` ${unitSign(unit)}`));
  const inputs = Array.isArray(value) ? fieldsOf(parameter, value, change) : sliderOf(parameter, value, change);
  return element('div', { className: Array.isArray(value) ? 'parameter vector' : 'parameter' }, title, ...inputs);
}

const fieldOf = (label: string, value: number) => element('input', { type: 'number', step: 'any', value: String(value), label });

function fieldsOf(parameter: Parameter, value: number[], change: Change): HTMLInputElement[] {
  const fields = value.map((part, index) => fieldOf(`${parameter.name} ${'xyz'[index] ?? index}`, part));
  for (const field of fields) {
    field.onchange = () => {
      const next = fields.map((one, index) => (one.value === '' ? (value[index] ?? 0) : Number(one.value)));
      change(parameter, next, false);
    };
  }
  return fields;
}

function sliderOf(parameter: Parameter, value: number, change: Change): HTMLInputElement[] {
  const { name, min, max } = parameter;
  const range: [number, number] = min !== undefined && max !== undefined && min < max ? [min, max] : rangeOf(value);
  const step = sliderStep(range);
  const slider = element('input', { type: 'range', min: String(range[0]), max: String(range[1]), step: 'any', value: String(value), label: name });
  const field = fieldOf(`${name}, as a number`, value);
  slider.oninput = () => {
    const next = toStep(Number(slider.value), step);
    field.value = String(next);
    change(parameter, next, true);
  };
  field.onchange = () => {
    if (field.value === '') field.value = String(value);
    slider.value = field.value;
    change(parameter, Number(field.value), false);
  };
  return [slider, field];
}
