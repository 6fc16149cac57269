import type { CheckpointFamily } from '../../core/checkpoint/checkpoint-family.ts'
import type { ImageModelDescriptor, TextModelDescriptor } from '../../core/model.ts'
import type { FoundOnHub, PlacedPull } from '../../core/model-pull.ts'
import type { ModelState } from '../../core/ports/model-pool.ts'

type Common = 'id' | 'name' | 'license' | 'bytes' | 'created'

/** A server that runs a model. */
export interface ModelServer {
  readonly url: string
  /** The model's name on that server. */
  readonly model: string
  /** Whether it answered the last check; null = not checked since the start. */
  readonly answers: boolean | null
  /** Why it did not answer; null = it did, or was not checked. */
  readonly reason: string | null
}

interface Standing {
  readonly state: Omit<ModelState, 'modelId'>
  /** The description in its model.json; absent = none. */
  readonly description?: string | undefined
  /** Whether none of its servers answered the last check; absent = no. */
  readonly away?: true | undefined
  /** For owners: its servers; absent = it runs on the service's own machines. */
  readonly servers?: readonly ModelServer[] | undefined
  /** For owners: whether it was pulled, so that it can be removed. */
  readonly removable?: boolean | undefined
}

/** A language model in the console. */
export interface ConsoleTextModel
  extends Pick<TextModelDescriptor, Common | 'kind' | 'embeddings' | 'contextLength' | 'weights'>,
    Standing {
  /** Whether it generates text; encoders only make embeddings. */
  readonly generates: boolean
  /** Whether it reads pictures in messages. */
  readonly looks: boolean
  /** Names of the installed LoRA adapters that fit it; absent = none. */
  readonly adapters?: readonly string[] | undefined
}

/** An image model in the console. */
export interface ConsoleImageModel
  extends Pick<ImageModelDescriptor, Common | 'kind' | 'native' | 'draws' | 'sizes' | 'defaults' | 'bounds'>,
    Standing {
  readonly family: CheckpointFamily
  /** Whether it has a refiner, which draws the last steps. */
  readonly refines: boolean
  /** Whether it supports a second pass at a larger size. */
  readonly drawsTwice: boolean
  /** Whether it supports LoRAs and other assets. */
  readonly takesAssets: boolean
  /** Whether it is an inpainting model and only repaints pictures. */
  readonly repaintsOnly: boolean
  /** The factor of an upscaler; absent for models that draw. */
  readonly enlarges?: number | undefined
}

/** A model in the console, without paths of the machine. Only owners get addresses of its network. */
export type ConsoleModel = ConsoleTextModel | ConsoleImageModel

/** The origins in code samples; null = the console's own. */
export interface CallOrigins {
  readonly imageUrl: string | null
  readonly textUrl: string | null
}

/** A file or folder in the models folders that is not a model, and why. */
export interface LeftOutFile {
  readonly file: string
  /** The end of a sentence about it, or a whole sentence. */
  readonly reason: string
  /** The path that removing it deletes; absent = remove it from its models folder. */
  readonly removes?: string | undefined
}

/** GET /console/api/models. */
export interface ModelList {
  readonly models: readonly ConsoleModel[]
  /** For owners: ignored files in the models folders of the answering node; absent = none. */
  readonly leftOut?: readonly LeftOutFile[] | undefined
  /** For owners: memory that models may use, in bytes; a GPU's own is separate. Absent = not known. */
  readonly memoryBytes?: number | undefined
  readonly pulls: readonly PlacedPull[]
  readonly origins: CallOrigins
}

/** POST /console/api/models/load, /unload and /remove. */
export interface ModelChoice {
  readonly model: string
}

/** POST /console/api/models/left-out/remove. */
export interface LeftOutChoice {
  readonly file: string
}

/** POST /console/api/models/pulls and /pulls/remove. */
export interface PullChoice {
  /** Web address of a `model.json`. */
  readonly source: string
}

/** GET /console/api/models/search?words=…. */
export interface HubSearch {
  /** Most downloads first. */
  readonly models: readonly FoundOnHub[]
  /** Why the search failed, as a sentence; null = it succeeded. */
  readonly fault: string | null
}
