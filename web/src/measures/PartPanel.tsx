/** The part: its preview, its parameters and its measures, with the inspector: of a selected node right below the preview. */
import { Inspector } from '../inspector/Inspector';
import { Preview } from '../preview/Preview';
import { usePreview, useSubject } from '../preview/state';
import { noShape } from '../preview/useField';
import { useStore } from '../store/state';
import { Measures } from './Measures';
import { Parameters } from './Parameters';
import './measures.css';

export function PartPanel() {
  const project = useStore((state) => state.project);
  const functions = useStore((state) => state.functions);
  const open = useStore((state) => state.trail.at(-1));
  const subject = useSubject();
  const isSelected = useStore((state) => state.selection.length === 1);
  const isNothing = usePreview((state) => state.isNothing);
  if (project === null) return null;
  const functionId = subject && 'functionId' in subject ? subject.functionId : undefined;
  const known = functions.find((one) => one.function_id === functionId);
  const hasShape = !isNothing && subject !== null && subject.kind !== 'port' && (functionId === undefined || (known !== undefined && noShape(known) === null));
  const parametersOf = functionId ?? open;
  return (
    <>
      <Preview />
      {isSelected && <Inspector />}
      {parametersOf !== undefined && <Parameters project={project} functionId={parametersOf} />}
      {hasShape && <Measures project={project} subject={subject} />}
      {!isSelected && <Inspector />}
    </>
  );
}
