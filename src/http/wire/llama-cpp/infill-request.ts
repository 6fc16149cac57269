import Type, { type TObject } from 'typebox'
import type { TextGap } from '../../../core/text-generation.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed, optional } from '../../faults/object-schema.ts'
import { refuseFaults, textFaultCodes } from '../../faults/refuse-faults.ts'
import type { BodySettings } from '../chat/sampling-fields.ts'
import { findNativeFaults, nativeFields, type ParsedNative, readNative } from './completion-request.ts'

const text = (description: string) => Type.String({ description })

const gapFields = {
  input_prefix: text('Text before the gap.'),
  input_suffix: text('Text after the gap.'),
  ...optional({
    prompt: Type.String({ default: '', description: "Beginning of the gap's text; it follows `input_prefix`." }),
    input_extra: Type.Array(closed({ filename: Type.Optional(text('Its name.')), text: text('What it says.') }), {
      maxItems: 256,
      description: 'Other files of the same project.',
    }),
  }),
}

/** The body of POST /infill. */
export function infillSchema(settings: BodySettings): TObject<ReturnType<typeof nativeFields> & typeof gapFields> {
  return closed({ ...nativeFields(settings), ...gapFields })
}

/** A checked request to fill a gap. */
export interface ParsedInfill extends ParsedNative {
  readonly gap: TextGap
}

/** Makes the parser of POST /infill. */
export function createInfillParser(settings: BodySettings): (body: unknown) => ParsedInfill {
  const checker = createBodyChecker(infillSchema(settings))
  return (received) => {
    const body = checker.parse(received, textFaultCodes)
    refuseFaults(findNativeFaults(body), textFaultCodes)
    const files = (body.input_extra ?? []).map(({ filename: name = 'tmp', text: said }) => ({ name, text: said }))
    return {
      ...readNative(body),
      prompts: [[body.input_prefix + (body.prompt ?? '')]],
      several: false,
      gap: { suffix: body.input_suffix, files },
    }
  }
}
