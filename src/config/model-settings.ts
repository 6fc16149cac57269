import { gpuSettings } from '../core/compute-device.ts'
import { none, settingsOf, unset } from './setting.ts'
import {
  aliases,
  byteSize,
  duration,
  file,
  folders,
  integer,
  names,
  oneOf,
  optional,
  secret,
  text,
  toggle,
  url,
  zeroIsNone,
} from './setting-kinds.ts'

const setting = settingsOf('Models')

/** Settings for models and their resources. */
export const modelSettings = {
  models: {
    folders: setting('models', folders, none, 'Folders of models, besides the built-in ones.'),
    builtIn: setting('built-in-models', toggle, 'on', 'Offer the models that come with Sepia; `off` leaves only your own.'),
    defaults: {
      text: setting(
        'default-text-model',
        optional(text),
        unset('such requests are rejected'),
        'Text model for requests that leave out `model` or name one that is not installed. The response names it, with the header `X-Service-Warning` for the latter.',
      ),
      image: setting(
        'default-image-model',
        optional(text),
        unset('the first one that fits, built-in models last'),
        "Image model for requests that leave out the model; if it is set, it also draws for requests whose `model` (or A1111's `sd_model_checkpoint`) is not installed.",
      ),
    },
    aliases: setting(
      'model-aliases',
      aliases,
      { words: 'none', derive: () => ({}) },
      'Further names of models, for programs that insist on one: `gpt-4o=qwen3-8b`. A `model.json` can define `aliases` too.',
    ),
    pullHosts: setting('pull-hosts', names, none, 'Hosts from which models may be pulled over http or from a private network.'),
    hub: {
      url: {
        ...setting('hub-url', url('http:', 'https:'), 'https://huggingface.co', 'Address of the hub for `hf:` names, or of a mirror.'),
        customary: ['HF_ENDPOINT'],
      },
      token: {
        ...setting('hub-token', optional(secret), unset('none'), 'Access token for gated and private models of the hub.'),
        customary: ['HF_TOKEN'],
      },
      tokenFile: setting('hub-token-file', optional(file), unset('none'), 'File with the value of `hub-token`.'),
    },
    memoryBytes: setting(
      'memory',
      byteSize('64mb'),
      { words: 'three quarters of the memory', derive: ({ memoryBytes }) => Math.floor(memoryBytes * 0.75) },
      'Memory for all loaded models together; the least recently used are unloaded first.',
    ),
    idleUnloadMs: setting(
      'idle-unload',
      zeroIsNone(duration('0', '365d')),
      '15m',
      'Unload a model after this time without work; 0 means never.',
    ),
    threads: setting(
      'engine-threads',
      integer(1, 1024),
      {
        words: 'the physical cores, at most one less than all cores',
        derive: ({ cores, physicalCores = cores }) => Math.max(1, Math.min(physicalCores, cores - 1)),
      },
      'Processor threads shared by all models at work. One per core is slower as soon as anything else runs.',
    ),
    gpu: setting(
      'gpu',
      oneOf(...gpuSettings),
      'auto',
      'Device for models: `auto` uses what is available, `off` the processor; a named one must be available. `sepia devices` lists them.',
    ),
    gpuDevice: setting(
      'gpu-device',
      optional(integer(0, 255)),
      unset("the backend's first choice"),
      'Number of the GPU to use, from `sepia devices`.',
    ),
    textSlots: setting('text-slots', integer(1, 256), '8', 'Requests that one text model works on at once.'),
    textQueue: setting('text-queue', integer(0, 100_000), '128', 'Requests that may wait for each text model; more get 503.'),
    imageQueue: setting('image-queue', integer(0, 100_000), '32', 'Requests that may wait for each image model; more get 503.'),
  },
} as const
