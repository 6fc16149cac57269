/** Diffusion samplers by wire name; each follows a diffusers scheduler (interface §4.1). */
export const samplers = [
  'PNDM',
  'LMS',
  'KLMS',
  'DDIM',
  'DDPM',
  'HEUN',
  'K_HEUN',
  'K_EULER',
  'K_EULER_ANCESTRAL',
  'DPM_SOLVER_MULTISTEP',
  'DPM_PLUS_PLUS_2M_KARRAS',
  'DPM_PLUS_PLUS_2M_SDE',
  'DPM_PLUS_PLUS_2M_SDE_KARRAS',
  'DPM_SINGLE',
  'DPM_2',
  'DPM_2_KARRAS',
  'DPM_2_ANCESTRAL',
  'DPM_2_ANCESTRAL_KARRAS',
  'DPM_PLUS_PLUS_SDE_KARRAS',
  'UNI_PC',
  'LCM',
] as const

export type Sampler = (typeof samplers)[number]

/** A parsed `scheduler_config.json`. */
export type SchedulerOptions = Readonly<Record<string, unknown>>

/** Schedulers with noise levels that every sampler supports. */
const knownSchedulers =
  /^(DDIM|DDPM|DDIMParallel|DDPMParallel|PNDM|LMSDiscrete|HeunDiscrete|EulerDiscrete|EulerAncestralDiscrete|DPMSolverMultistep|DPMSolverSinglestep|DPMSolverSDE|KDPM2Discrete|KDPM2AncestralDiscrete|DEISMultistep|UniPCMultistep|LCM|TCD|SASolver)Scheduler$/u

/**
 * Checks whether any sampler supports a scheduler config; null = at least one does.
 *
 * @returns The end of a sentence that starts with the file's name.
 */
export function findSchedulerFault(options: SchedulerOptions): string | null {
  const { _class_name: name, timestep_type: type, variance_type: variance } = options
  if (typeof name === 'string' && !knownSchedulers.test(name))
    return `names the ${name}, whose noise levels are not supported; use a model trained with those of DDPM`
  if (options.use_flow_sigmas === true) return 'sets "use_flow_sigmas", but flow matching is not supported'
  if ((type ?? 'discrete') !== 'discrete') return `has a "timestep_type" of ${JSON.stringify(type)}; only "discrete" is supported`
  for (const key of ['sigma_min', 'sigma_max'])
    if ((options[key] ?? null) !== null) return `bounds the noise by "${key}", which is not supported; set it to null`
  if (typeof variance === 'string' && variance.startsWith('learned'))
    return `has a "variance_type" of ${JSON.stringify(variance)}; models that predict their variance are not supported`
  return null
}

const dpmSolvers: readonly Sampler[] = [
  'DPM_SOLVER_MULTISTEP',
  'DPM_PLUS_PLUS_2M_KARRAS',
  'DPM_PLUS_PLUS_2M_SDE',
  'DPM_PLUS_PLUS_2M_SDE_KARRAS',
  'DPM_SINGLE',
  'DPM_PLUS_PLUS_SDE_KARRAS',
]
const dpm2: readonly Sampler[] = ['DPM_2', 'DPM_2_KARRAS', 'DPM_2_ANCESTRAL', 'DPM_2_ANCESTRAL_KARRAS']
const sigmaSamplers: readonly Sampler[] = ['LMS', 'KLMS', 'HEUN', 'K_HEUN', 'K_EULER', 'UNI_PC', ...dpm2, ...dpmSolvers]

interface Refusal {
  readonly samplers: readonly Sampler[]
  /** The property of the model that they cannot handle. */
  readonly reason: string
  readonly applies: (options: SchedulerOptions) => boolean
}

/** diffusers schedulers that do not support an option of a config; options that a scheduler ignores are not refused. */
const refusals: readonly Refusal[] = [
  {
    samplers: ['PNDM', 'LMS', 'KLMS', 'HEUN', 'K_HEUN', ...dpm2, 'DPM_SINGLE', 'DPM_PLUS_PLUS_SDE_KARRAS'],
    reason: 'pure noise at the last step (rescale_betas_zero_snr)',
    applies: (options) => options.rescale_betas_zero_snr === true,
  },
  {
    samplers: ['PNDM'],
    reason: 'a Runge–Kutta start (skip_prk_steps)',
    applies: (options) => options.skip_prk_steps === false,
  },
  {
    samplers: ['PNDM', 'K_EULER_ANCESTRAL', ...dpm2],
    reason: 'predictions of the sample (prediction_type)',
    applies: (options) => options.prediction_type === 'sample',
  },
  {
    samplers: sigmaSamplers,
    reason: 'exponential noise levels (use_exponential_sigmas)',
    applies: (options) => options.use_exponential_sigmas === true,
  },
  { samplers: sigmaSamplers, reason: 'beta noise levels (use_beta_sigmas)', applies: (options) => options.use_beta_sigmas === true },
  {
    samplers: ['DPM_SOLVER_MULTISTEP', 'DPM_PLUS_PLUS_2M_SDE'],
    reason: "Lu's noise levels (use_lu_lambdas)",
    applies: (options) => options.use_lu_lambdas === true,
  },
  {
    samplers: [...dpmSolvers, 'UNI_PC'],
    reason: 'a solver_order over 2',
    applies: (options) => typeof options.solver_order === 'number' && options.solver_order > 2,
  },
  {
    samplers: ['UNI_PC'],
    reason: 'a custom corrector (predict_x0, disable_corrector or solver_p)',
    applies: ({ predict_x0: cleanly, disable_corrector: disabled, solver_p: solver }) =>
      cleanly === false || (Array.isArray(disabled) && disabled.length > 0) || (solver ?? null) !== null,
  },
  {
    samplers: ['DDPM'],
    reason: 'a variance_type other than fixed_small',
    applies: ({ variance_type: variance }) => (variance ?? 'fixed_small') !== 'fixed_small',
  },
]

/** Samplers that support flow-matching models. */
const flowSamplers: readonly Sampler[] = ['K_EULER', 'HEUN', 'K_HEUN', 'DPM_SOLVER_MULTISTEP', 'UNI_PC']

/** Samplers that do not support flow-matching models, each with the reason. */
export const flowRefusals: Readonly<Partial<Record<Sampler, string>>> = Object.fromEntries(
  samplers.filter((sampler) => !flowSamplers.includes(sampler)).map((sampler) => [sampler, 'noise levels of flow matching'] as const),
)

/** Samplers that do not support a scheduler config, each with the reason. */
export function refusedSamplers(options: SchedulerOptions): Readonly<Partial<Record<Sampler, string>>> {
  const reasons = samplers.flatMap((sampler) => {
    const found = refusals.find((refusal) => refusal.samplers.includes(sampler) && refusal.applies(options))
    return found === undefined ? [] : [[sampler, found.reason] as const]
  })
  return Object.fromEntries(reasons)
}
