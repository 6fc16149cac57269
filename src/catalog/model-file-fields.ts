import { cacheTypes } from '../core/gguf/context-length.ts'
import { imageServerFormats } from '../core/images/image-servers.ts'
import { textServerFormats } from '../core/model.ts'
import { samplers } from '../core/sampler.ts'
import type { SchemaNode } from '../core/schema/describe-schema.ts'
import {
  aliases,
  fileRecord,
  flag,
  id,
  innerPath,
  isText,
  number,
  oneOf,
  over,
  pixels,
  replicas,
  seconds,
  sizes,
  text,
  webAddress,
  whole,
} from './describe/field-values.ts'
import type { ModelFile } from './model-file.ts'

/** One field of `model.json`; the source of the table in docs/model-json.md. */
export interface ModelFileField {
  /** Dotted path. */
  readonly name: string
  /** Models to which it applies: all, those of a kind or format, remote ones, and of these text or image models. */
  readonly models: 'all' | 'upstream' | 'text-upstream' | 'image-upstream' | ModelFile['kind'] | ModelFile['format']
  /** Meaning of its absence; null = required. */
  readonly absent: string | null
  readonly schema: SchemaNode
  readonly meaning: string
  /** Why to remove it from image servers, which accept but ignore it; absent = it has an effect. */
  readonly idle?: string
}

function field(
  name: string,
  models: ModelFileField['models'],
  absent: string | null,
  schema: SchemaNode,
  meaning: string,
  idle?: string,
): ModelFileField {
  return { name, models, absent, schema, meaning, ...(idle !== undefined && { idle }) }
}

function textDefault(name: string, absent: string, schema: SchemaNode): ModelFileField {
  return field(`defaults.${name}`, 'text', absent, schema, `\`${name}\` of requests that leave it out.`)
}

function nativeSize(models: ModelFileField['models'], absent: string | null): readonly ModelFileField[] {
  return (['width', 'height'] as const).map((side) => {
    const meaning = `${side === 'width' ? 'Width' : 'Height'} the model was trained for, in pixels; the default.`
    return field(`native.${side}`, models, absent, pixels, meaning)
  })
}

export const modelFileFields: readonly ModelFileField[] = [
  field('id', 'all', null, id, 'The name in requests; no two models may share one.'),
  field('name', 'all', 'the id', text, 'The name people see.'),
  field('kind', 'all', null, oneOf(['text', 'image']), 'What the model makes.'),
  field('license', 'all', 'unknown', text, 'Its licence, shown in the console and in `sepia model list`.'),
  field('description', 'all', 'none', text, 'One or two sentences, shown where people choose a model in the console.'),
  field(
    'aliases',
    'all',
    'none',
    aliases,
    'Further names that requests may use, such as `gpt-4o`; an id of another model wins over an alias.',
  ),
  field('hidden', 'all', 'false', flag, 'Hides it from lists, the console and defaults; requests can still name it.'),
  field(
    'price.prompt',
    'text',
    '0',
    number(0, 100_000),
    'Price of a million prompt tokens in your currency, up to six decimals; money limits use it.',
  ),
  field('price.completion', 'text', '0', number(0, 100_000), 'Price of a million answer tokens.'),
  field('price.image', 'image', '0', number(0, 100_000), 'Price of one image.'),
  field(
    'files',
    'all',
    'only the files the format needs are checked',
    fileRecord,
    'Every file of the model. Presence and size are checked at start, checksums by `sepia model pull` and `sepia doctor`.',
  ),
  field(
    'format',
    'text',
    null,
    oneOf(['gguf', ...textServerFormats]),
    "A file of weights for llama.cpp, or a server with the OpenAI interface or Anthropic's Messages.",
  ),
  field('file', 'gguf', null, innerPath, 'The GGUF file.'),
  field('projector', 'gguf', 'text only', innerPath, 'The `mmproj` GGUF file that lets the model read images.'),
  field('contextLength', 'text', "the file's, limited by memory", whole(64, 1_048_576), 'Tokens of prompt and answer together.'),
  field('cacheType', 'gguf', 'f16', oneOf(cacheTypes), 'Format of the KV cache; `q8_0` takes about half of the memory of `f16`.'),
  field('embeddings', 'text', 'false', flag, 'Whether `/v1/embeddings` may use it.'),
  textDefault('temperature', '1', number(0, 2)),
  textDefault('top_p', '1', number(0, 1)),
  textDefault('top_k', '0', whole(0, 1_000_000)),
  textDefault('min_p', '0', number(0, 1)),
  textDefault('repetition_penalty', '1', over(0, 2)),
  field(
    'speculative',
    'gguf',
    'off',
    {
      words: '"prompt-lookup", or the path of a GGUF file (".gguf"), relative to the folder or absolute',
      accepts: (value) => value === 'prompt-lookup' || (isText(value) && value.endsWith('.gguf')),
    },
    'Source of the guesses for speculative decoding: the text so far, or a smaller model with the same vocabulary.',
  ),
  field(
    'url',
    'upstream',
    null,
    webAddress,
    "The server's base address, such as `http://gpu-1:8000/v1` (`http://gpu-1:7860` for image servers other than `openai-images`).",
  ),
  field('model', 'upstream', 'the id', text, "The model's name on that server."),
  field(
    'keyFile',
    'upstream',
    'no key',
    { ...text, words: 'a path, relative to the folder or absolute' },
    'File with the access key for that server and nothing else; read again when the server rejects the key.',
  ),
  field('slots', 'upstream', '64; 1 for images', whole(1, 10_000), 'Requests sent to that server at once; further ones wait in Sepia.'),
  field(
    'replicas',
    'text-upstream',
    'one server',
    replicas,
    'More servers with the same model, name and key; each gets up to `slots` requests at once.',
  ),
  field('vision', 'text-upstream', 'false', flag, 'Whether the model reads images in messages; they are passed on unchanged.'),
  field('ranks', 'text-upstream', 'false', flag, 'Whether it is a reranker: `/v1/rerank` may use it, and it generates no text.'),
  field(
    'weight',
    'text-upstream',
    '1',
    whole(1, 100),
    "The first server's share of the requests, compared with the replicas (1 each by default).",
  ),
  field('timeouts.connect', 'upstream', '5', seconds, 'Seconds to connect, including TLS.'),
  field('timeouts.first', 'text-upstream', '300', seconds, 'Seconds from a request to the first byte of the response body.'),
  field(
    'timeouts.first',
    'image-upstream',
    '600 for `openai-images`; else `run-limit`',
    seconds,
    'Seconds for one image, from its request to its last byte, without its time in the queue of ComfyUI or sd-server.',
  ),
  field(
    'timeouts.idle',
    'upstream',
    '60',
    seconds,
    'Seconds between two pieces of an answer; for image servers also until an immediate answer begins.',
  ),
  field(
    'format',
    'image',
    null,
    oneOf(['onnx-sdxl', 'safetensors', ...imageServerFormats]),
    "The layout of the weights (SDXL's official ONNX folder, or a checkpoint as one file or a diffusers folder), or the interface of an image server.",
  ),
  ...nativeSize('onnx-sdxl', null),
  field(
    'file',
    'safetensors',
    "the folder itself is the checkpoint, in diffusers' layout",
    innerPath,
    'The checkpoint in one file, or the transformer of one whose other files lie in the folder: `.safetensors` or `.gguf`.',
  ),
  ...nativeSize('safetensors', "its family's: 1024, 768 or 512"),
  field(
    'prediction',
    'safetensors',
    'what the file or its name says, else "epsilon"',
    oneOf(['epsilon', 'v_prediction']),
    'What the UNet was trained to predict: noise or velocity.',
  ),
  ...nativeSize('image-upstream', '1024'),
  field(
    'workflow',
    'comfyui',
    '"workflow.json"',
    innerPath,
    'The workflow in the API format of ComfyUI, with placeholders such as `{{prompt}}`.',
  ),
  field(
    'draws',
    'image',
    '"requested"',
    oneOf(['native', 'requested']),
    'Draws at the requested size, or at the native size and then resizes; image servers always do the first.',
    'has no effect on an image server; remove it and list the allowed sizes in `sizes`.',
  ),
  field(
    'sizes',
    'image',
    "SDXL's nine for 1024 × 1024; 64 to 2048 if `draws` is native; else the native size only",
    sizes,
    'Sizes a request may use: any multiple of 8 between two bounds, or a list.',
  ),
  field('defaults.steps', 'image', '30', whole(1, 200), 'Denoising steps if the request sets none.'),
  field('defaults.cfg_scale', 'image', '12', over(0, 50), 'Guidance scale if the request sets none; 1 means no guidance.'),
  field('defaults.sampler', 'image', '"DDIM"', oneOf(samplers), 'Sampler if the request sets none.'),
  field(
    'timestepSpacing',
    'image',
    "the scheduler's own",
    oneOf(['leading', 'trailing', 'linspace']),
    'How denoising steps are spread over the training timesteps; few-step models (Turbo, Lightning) need "trailing"; not for image servers.',
    'has no effect on an image server; remove it here and set it there.',
  ),
  field(
    'refiner',
    'image',
    'none',
    { ...text, words: 'a path, relative to the folder or absolute' },
    'A refiner: a folder or, for a checkpoint, a `.safetensors` file; not for image servers.',
    'has no effect on an image server; remove it here and use the refiner there.',
  ),
]
