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

function textDefault(field: string, absent: string, schema: SchemaNode): ModelFileField {
  return { name: `defaults.${field}`, models: 'text', absent, schema, meaning: `\`${field}\` of requests that leave it out.` }
}

export const modelFileFields: readonly ModelFileField[] = [
  {
    name: 'id',
    models: 'all',
    absent: null,
    schema: id,
    meaning: 'The name in requests; no two models may share one.',
  },
  { name: 'name', models: 'all', absent: 'the id', schema: text, meaning: 'The name people see.' },
  {
    name: 'kind',
    models: 'all',
    absent: null,
    schema: oneOf(['text', 'image']),
    meaning: 'What the model makes.',
  },
  {
    name: 'license',
    models: 'all',
    absent: 'unknown',
    schema: text,
    meaning: 'Its licence, shown in the console and in `sepia model list`.',
  },
  {
    name: 'description',
    models: 'all',
    absent: 'none',
    schema: text,
    meaning: 'One or two sentences, shown where people choose a model in the console.',
  },
  {
    name: 'aliases',
    models: 'all',
    absent: 'none',
    schema: aliases,
    meaning: 'Further names that requests may use, such as `gpt-4o`; an id of another model wins over an alias.',
  },
  {
    name: 'hidden',
    models: 'all',
    absent: 'false',
    schema: flag,
    meaning: 'Hides it from lists, the console and defaults; requests can still name it.',
  },
  {
    name: 'price.prompt',
    models: 'text',
    absent: '0',
    schema: number(0, 100_000),
    meaning: 'Price of a million prompt tokens in your currency, up to six decimals; money limits use it.',
  },
  {
    name: 'price.completion',
    models: 'text',
    absent: '0',
    schema: number(0, 100_000),
    meaning: 'Price of a million answer tokens.',
  },
  {
    name: 'price.image',
    models: 'image',
    absent: '0',
    schema: number(0, 100_000),
    meaning: 'Price of one picture.',
  },
  {
    name: 'files',
    models: 'all',
    absent: 'only the files the format needs are checked',
    schema: fileRecord,
    meaning: 'Every file of the model. Presence and size are checked at start, checksums by `sepia model pull` and `sepia doctor`.',
  },
  {
    name: 'format',
    models: 'text',
    absent: null,
    schema: oneOf(['gguf', ...textServerFormats]),
    meaning: "A file of weights for llama.cpp, or a server with the OpenAI interface or Anthropic's Messages.",
  },
  {
    name: 'file',
    models: 'gguf',
    absent: null,
    schema: innerPath,
    meaning: 'The GGUF file.',
  },
  {
    name: 'projector',
    models: 'gguf',
    absent: 'text only',
    schema: innerPath,
    meaning: 'The `mmproj` GGUF file that lets the model read pictures.',
  },
  {
    name: 'contextLength',
    models: 'text',
    absent: "the file's, limited by memory",
    schema: whole(64, 1_048_576),
    meaning: 'Tokens of prompt and answer together.',
  },
  {
    name: 'cacheType',
    models: 'gguf',
    absent: 'f16',
    schema: oneOf(cacheTypes),
    meaning: 'Format of the KV cache; `q8_0` takes about half of the memory of `f16`.',
  },
  {
    name: 'embeddings',
    models: 'text',
    absent: 'false',
    schema: flag,
    meaning: 'Whether `/v1/embeddings` may use it.',
  },
  textDefault('temperature', '1', number(0, 2)),
  textDefault('top_p', '1', number(0, 1)),
  textDefault('top_k', '0', whole(0, 1_000_000)),
  textDefault('min_p', '0', number(0, 1)),
  textDefault('repetition_penalty', '1', over(0, 2)),
  {
    name: 'speculative',
    models: 'gguf',
    absent: 'off',
    schema: {
      words: '"prompt-lookup", or the path of a GGUF file (".gguf"), relative to the folder or absolute',
      accepts: (value) => value === 'prompt-lookup' || (isText(value) && value.endsWith('.gguf')),
    },
    meaning: 'Source of the guesses for speculative decoding: the text so far, or a smaller model with the same vocabulary.',
  },
  {
    name: 'url',
    models: 'upstream',
    absent: null,
    schema: webAddress,
    meaning:
      "The server's base address, such as `http://gpu-1:8000/v1` (`http://gpu-1:7860` for image servers other than `openai-images`).",
  },
  { name: 'model', models: 'upstream', absent: 'the id', schema: text, meaning: "The model's name on that server." },
  {
    name: 'keyFile',
    models: 'upstream',
    absent: 'no key',
    schema: { ...text, words: 'a path, relative to the folder or absolute' },
    meaning: 'File with the access key for that server and nothing else; read again when the server rejects the key.',
  },
  {
    name: 'slots',
    models: 'upstream',
    absent: '64; 1 for pictures',
    schema: whole(1, 10_000),
    meaning: 'Requests sent to that server at once; further ones wait in Sepia.',
  },
  {
    name: 'replicas',
    models: 'text-upstream',
    absent: 'one server',
    schema: replicas,
    meaning: 'More servers with the same model, name and key; each gets up to `slots` requests at once.',
  },
  {
    name: 'vision',
    models: 'text-upstream',
    absent: 'false',
    schema: flag,
    meaning: 'Whether the model reads pictures in messages; they are passed on unchanged.',
  },
  {
    name: 'ranks',
    models: 'text-upstream',
    absent: 'false',
    schema: flag,
    meaning: 'Whether it is a reranker: `/v1/rerank` may use it, and it generates no text.',
  },
  {
    name: 'weight',
    models: 'text-upstream',
    absent: '1',
    schema: whole(1, 100),
    meaning: "The first server's share of the requests, compared with the replicas (1 each by default).",
  },
  {
    name: 'timeouts.connect',
    models: 'upstream',
    absent: '5',
    schema: seconds,
    meaning: 'Seconds to connect, including TLS.',
  },
  {
    name: 'timeouts.first',
    models: 'text-upstream',
    absent: '300',
    schema: seconds,
    meaning: 'Seconds from a request to the first byte of the response body.',
  },
  {
    name: 'timeouts.first',
    models: 'image-upstream',
    absent: '600 for `openai-images`; else `run-limit`',
    schema: seconds,
    meaning: 'Seconds for one picture, from its request to its last byte.',
  },
  {
    name: 'timeouts.idle',
    models: 'upstream',
    absent: '60',
    schema: seconds,
    meaning: 'Seconds between two pieces of an answer; for image servers also until an immediate answer begins.',
  },
  {
    name: 'format',
    models: 'image',
    absent: null,
    schema: oneOf(['onnx-sdxl', 'safetensors', ...imageServerFormats]),
    meaning:
      "The layout of the weights (SDXL's official ONNX folder, or a checkpoint as one file or a diffusers folder), or the interface of an image server.",
  },
  {
    name: 'native.width',
    models: 'onnx-sdxl',
    absent: null,
    schema: pixels,
    meaning: 'Width the model was trained for, in pixels; the default.',
  },
  {
    name: 'native.height',
    models: 'onnx-sdxl',
    absent: null,
    schema: pixels,
    meaning: 'Height the model was trained for, in pixels; the default.',
  },
  {
    name: 'file',
    models: 'safetensors',
    absent: "the folder itself is the checkpoint, in diffusers' layout",
    schema: innerPath,
    meaning: 'The checkpoint in one file, or the transformer of one whose other files lie in the folder: `.safetensors` or `.gguf`.',
  },
  {
    name: 'native.width',
    models: 'safetensors',
    absent: "its family's: 1024, 768 or 512",
    schema: pixels,
    meaning: 'Width the model was trained for, in pixels; the default.',
  },
  {
    name: 'native.height',
    models: 'safetensors',
    absent: "its family's: 1024, 768 or 512",
    schema: pixels,
    meaning: 'Height the model was trained for, in pixels; the default.',
  },
  {
    name: 'prediction',
    models: 'safetensors',
    absent: 'what the file or its name says, else "epsilon"',
    schema: oneOf(['epsilon', 'v_prediction']),
    meaning: 'What the UNet was trained to predict: noise or velocity.',
  },
  {
    name: 'native.width',
    models: 'image-upstream',
    absent: '1024',
    schema: pixels,
    meaning: 'Width the model was trained for, in pixels; the default.',
  },
  {
    name: 'native.height',
    models: 'image-upstream',
    absent: '1024',
    schema: pixels,
    meaning: 'Height the model was trained for, in pixels; the default.',
  },
  {
    name: 'workflow',
    models: 'comfyui',
    absent: '"workflow.json"',
    schema: innerPath,
    meaning: 'The workflow in the API format of ComfyUI, with placeholders such as `{{prompt}}`.',
  },
  {
    name: 'draws',
    models: 'image',
    absent: '"requested"',
    schema: oneOf(['native', 'requested']),
    meaning: 'Draws at the requested size, or at the native size and then resizes; image servers always do the first.',
    idle: 'has no effect on an image server; remove it and list the allowed sizes in `sizes`.',
  },
  {
    name: 'sizes',
    models: 'image',
    absent: "SDXL's nine for 1024 × 1024; 64 to 2048 if `draws` is native; else the native size only",
    schema: sizes,
    meaning: 'Sizes a request may use: any multiple of 8 between two bounds, or a list.',
  },
  {
    name: 'defaults.steps',
    models: 'image',
    absent: '30',
    schema: whole(1, 200),
    meaning: 'Denoising steps if the request sets none.',
  },
  {
    name: 'defaults.cfg_scale',
    models: 'image',
    absent: '12',
    schema: over(0, 50),
    meaning: 'Guidance scale if the request sets none; 1 means no guidance.',
  },
  {
    name: 'defaults.sampler',
    models: 'image',
    absent: '"DDIM"',
    schema: oneOf(samplers),
    meaning: 'Sampler if the request sets none.',
  },
  {
    name: 'timestepSpacing',
    models: 'image',
    absent: "the scheduler's own",
    schema: oneOf(['leading', 'trailing', 'linspace']),
    meaning:
      'How denoising steps are spread over the training timesteps; few-step models (Turbo, Lightning) need "trailing"; not for image servers.',
    idle: 'has no effect on an image server; remove it here and set it there.',
  },
  {
    name: 'refiner',
    models: 'image',
    absent: 'none',
    schema: { ...text, words: 'a path, relative to the folder or absolute' },
    meaning: 'A refiner: a folder or, for a checkpoint, a `.safetensors` file; not for image servers.',
    idle: 'has no effect on an image server; remove it here and use the refiner there.',
  },
]
