import { elementTypes } from './onnx-fields.ts'
import { encodeMessage, type Field, integer, nested, text } from './protobuf.ts'

const boolean = 9

/** An ONNX safety checker that objects to every picture whose mean, in CLIP's scale of about −2 to 2, is over a limit. */
export function brightnessChecker(limit: number): Buffer {
  const limitBytes = Buffer.alloc(4)
  limitBytes.writeFloatLE(limit)
  const node = (type: string, inputs: readonly string[], output: string, ...attributes: readonly Field[]): Field =>
    nested(1, [...inputs.map((input) => text(1, input)), text(2, output), text(4, type), ...attributes])
  const declared = (name: string, type: number, dimensions: readonly number[]): readonly Field[] => [
    text(1, name),
    nested(2, [
      nested(1, [
        integer(1, type),
        nested(
          2,
          dimensions.map((size) => nested(1, [integer(1, size)])),
        ),
      ]),
    ]),
  ]
  const constant = nested(5, [integer(2, elementTypes.float32), text(8, 'limit'), { number: 9, wire: 2, value: limitBytes }])
  const keepNoDimensions = nested(5, [text(1, 'keepdims'), integer(3, 0), integer(20, 2)])
  const graph = [
    node('ReduceMean', ['clip_input'], 'mean', keepNoDimensions),
    node('Greater', ['mean', 'limit'], 'has_nsfw_concepts'),
    text(2, 'brightness'),
    constant,
    nested(11, declared('clip_input', elementTypes.float32, [1, 3, 224, 224])),
    nested(12, declared('has_nsfw_concepts', boolean, [])),
  ]
  return encodeMessage([integer(1, 8), nested(7, graph), nested(8, [integer(2, 13)])])
}
