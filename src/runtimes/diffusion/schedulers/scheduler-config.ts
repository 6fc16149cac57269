import { findSchedulerFault, refusedSamplers, type Sampler } from '../../../core/sampler.ts'
import { type JsonRecord, unusableModel } from '../onnx/model-file.ts'
import type { FlowSchedule } from './levels/flow-sigmas.ts'

/** A `flow_prediction` is the velocity from picture to noise. */
export type PredictionType = 'epsilon' | 'v_prediction' | 'sample' | 'flow_prediction'
export type TimestepSpacing = 'leading' | 'trailing' | 'linspace'

/** A model's `scheduler_config.json`, in diffusers' words; null = absent, each scheduler then takes its own default. */
export interface SchedulerConfig {
  readonly trainTimesteps: number
  readonly betaSchedule: 'linear' | 'scaled_linear' | 'squaredcos_cap_v2'
  readonly betaStart: number
  readonly betaEnd: number
  readonly trainedBetas: readonly number[] | null
  readonly rescaleBetasZeroSnr: boolean
  readonly predictionType: PredictionType
  readonly timestepSpacing: TimestepSpacing
  readonly stepsOffset: number
  readonly setAlphaToOne: boolean
  /** Bound of the predicted image; null = never clipped, which is right for latents. */
  readonly clipSampleRange: number | null
  readonly karrasSigmas: boolean
  /** 1 or 2; samplers that would read another are among the refused. */
  readonly solverOrder: number
  readonly solverType: 'midpoint' | 'heun' | 'bh1' | 'bh2' | null
  readonly lowerOrderFinal: boolean | null
  readonly eulerAtFinal: boolean
  readonly finalSigma: 'zero' | 'sigma_min'
  /** Least log signal-to-noise ratio DPM solvers start from. */
  readonly lambdaMinClipped: number
  /** Training steps a distilled (LCM) model skips over. */
  readonly originalInferenceSteps: number
  readonly timestepScaling: number
  /** Noise levels of a flow-matching model; null = the model was trained with a noise schedule. */
  readonly flow: FlowSchedule | null
  /** Samplers that do not support this config, each with the reason. */
  readonly refusedSamplers: Readonly<Partial<Record<Sampler, string>>>
}

const file = 'scheduler/scheduler_config.json'
const solverTypes = ['midpoint', 'heun', 'bh1', 'bh2'] as const

/** Checks the fields Sepia's schedulers use; others are ignored, as diffusers does. */
export function parseSchedulerConfig(json: JsonRecord): SchedulerConfig {
  const number = (key: string, fallback: number): number => {
    const value = json[key] ?? fallback
    if (typeof value !== 'number') throw unusableModel(file, `has no number in "${key}"`)
    return value
  }
  const flag = (key: string, fallback: boolean): boolean => {
    const value = json[key] ?? fallback
    if (typeof value !== 'boolean') throw unusableModel(file, `must have true or false in "${key}"`)
    return value
  }
  const choice = <const T extends string>(key: string, allowed: readonly T[], fallback: T): T => {
    const value = json[key] ?? fallback
    const found = allowed.find((name) => name === value)
    if (found === undefined) throw unusableModel(file, `has an unknown "${key}"; known are ${allowed.join(', ')}`)
    return found
  }
  const fault = findSchedulerFault(json)
  if (fault !== null) throw unusableModel(file, fault)
  if (flag('thresholding', false)) throw unusableModel(file, 'requests thresholding, which does not work on latents')
  choice('interpolation_type', ['linear'], 'linear')
  const betas = json.trained_betas ?? null
  const isNumberList = (value: unknown): value is number[] => Array.isArray(value) && value.every((item) => typeof item === 'number')
  if (betas !== null && !isNumberList(betas)) throw unusableModel(file, 'must hold numbers in "trained_betas"')
  const lambdaMin = json.lambda_min_clipped
  return {
    trainTimesteps: betas?.length ?? number('num_train_timesteps', 1000),
    betaSchedule: choice('beta_schedule', ['linear', 'scaled_linear', 'squaredcos_cap_v2'], 'scaled_linear'),
    betaStart: number('beta_start', 0.00085),
    betaEnd: number('beta_end', 0.012),
    trainedBetas: betas,
    rescaleBetasZeroSnr: flag('rescale_betas_zero_snr', false),
    predictionType: choice('prediction_type', ['epsilon', 'v_prediction', 'sample'], 'epsilon'),
    timestepSpacing: choice('timestep_spacing', ['leading', 'trailing', 'linspace'], 'leading'),
    stepsOffset: number('steps_offset', 1),
    setAlphaToOne: flag('set_alpha_to_one', false),
    clipSampleRange: flag('clip_sample', false) ? number('clip_sample_range', 1) : null,
    karrasSigmas: flag('use_karras_sigmas', false),
    solverOrder: number('solver_order', 2),
    solverType: solverTypes.find((type) => type === json.solver_type) ?? null,
    lowerOrderFinal: 'lower_order_final' in json ? flag('lower_order_final', true) : null,
    eulerAtFinal: flag('euler_at_final', false),
    finalSigma: choice('final_sigmas_type', ['zero', 'sigma_min'], 'zero'),
    // JSON has no infinity; diffusers writes it as text or leaves it out.
    lambdaMinClipped: typeof lambdaMin === 'number' ? lambdaMin : Number.NEGATIVE_INFINITY,
    originalInferenceSteps: number('original_inference_steps', 50),
    timestepScaling: number('timestep_scaling', 10),
    flow: null,
    refusedSamplers: refusedSamplers(json),
  }
}
