import { type Sampler, samplers } from '../sampler.ts'

/** Servers of others that draw for us, by the interface they speak. */
export const imageServerFormats = ['a1111', 'sd-server', 'comfyui', 'openai-images'] as const

export type ImageServerFormat = (typeof imageServerFormats)[number]

/** Whether a model's format names a server that draws. */
export function isImageServer(format: string): format is ImageServerFormat {
  return imageServerFormats.some((known) => known === format)
}

/** What a server calls a sampler: the solver, and how its noise levels are spaced. */
export interface ForeignSampler {
  readonly solver: string
  readonly spacing: 'plain' | 'karras'
}

type SamplerNames = Readonly<Partial<Record<Sampler, ForeignSampler>>>

const plain = (solver: string): ForeignSampler => ({ solver, spacing: 'plain' })
const karras = (solver: string): ForeignSampler => ({ solver, spacing: 'karras' })

/** Our samplers in each server's words; what is missing there has no counterpart that draws the same. */
const names: Readonly<Record<ImageServerFormat, SamplerNames>> = {
  a1111: {
    PNDM: plain('PLMS'),
    LMS: plain('LMS'),
    KLMS: karras('LMS'),
    DDIM: plain('DDIM'),
    HEUN: plain('Heun'),
    K_HEUN: karras('Heun'),
    K_EULER: plain('Euler'),
    K_EULER_ANCESTRAL: plain('Euler a'),
    DPM_SOLVER_MULTISTEP: plain('DPM++ 2M'),
    DPM_PLUS_PLUS_2M_KARRAS: karras('DPM++ 2M'),
    DPM_PLUS_PLUS_2M_SDE: plain('DPM++ 2M SDE'),
    DPM_PLUS_PLUS_2M_SDE_KARRAS: karras('DPM++ 2M SDE'),
    DPM_2: plain('DPM2'),
    DPM_2_KARRAS: karras('DPM2'),
    DPM_2_ANCESTRAL: plain('DPM2 a'),
    DPM_2_ANCESTRAL_KARRAS: karras('DPM2 a'),
    DPM_PLUS_PLUS_SDE_KARRAS: karras('DPM++ SDE'),
    UNI_PC: plain('UniPC'),
    LCM: plain('LCM'),
  },
  'sd-server': {
    LMS: plain('lms'),
    KLMS: karras('lms'),
    HEUN: plain('heun'),
    K_HEUN: karras('heun'),
    K_EULER: plain('euler'),
    K_EULER_ANCESTRAL: plain('euler_a'),
    DPM_SOLVER_MULTISTEP: plain('dpm++2m'),
    DPM_PLUS_PLUS_2M_KARRAS: karras('dpm++2m'),
    DPM_PLUS_PLUS_2M_SDE: plain('dpm++2m_sde'),
    DPM_PLUS_PLUS_2M_SDE_KARRAS: karras('dpm++2m_sde'),
    DPM_2: plain('dpm2'),
    DPM_2_KARRAS: karras('dpm2'),
    LCM: plain('lcm'),
  },
  comfyui: {
    LMS: plain('lms'),
    KLMS: karras('lms'),
    DDIM: plain('ddim'),
    DDPM: plain('ddpm'),
    HEUN: plain('heun'),
    K_HEUN: karras('heun'),
    K_EULER: plain('euler'),
    K_EULER_ANCESTRAL: plain('euler_ancestral'),
    DPM_SOLVER_MULTISTEP: plain('dpmpp_2m'),
    DPM_PLUS_PLUS_2M_KARRAS: karras('dpmpp_2m'),
    DPM_PLUS_PLUS_2M_SDE: plain('dpmpp_2m_sde'),
    DPM_PLUS_PLUS_2M_SDE_KARRAS: karras('dpmpp_2m_sde'),
    DPM_2: plain('dpm_2'),
    DPM_2_KARRAS: karras('dpm_2'),
    DPM_2_ANCESTRAL: plain('dpm_2_ancestral'),
    DPM_2_ANCESTRAL_KARRAS: karras('dpm_2_ancestral'),
    DPM_PLUS_PLUS_SDE_KARRAS: karras('dpmpp_sde'),
    UNI_PC: plain('uni_pc'),
    LCM: plain('lcm'),
  },
  // OpenAI's interface has no word for samplers: the server's own is the default one.
  'openai-images': {},
}

/** What a server calls a sampler, or undefined where it has none like it. */
export function foreignSampler(format: ImageServerFormat, sampler: Sampler): ForeignSampler | undefined {
  return names[format][sampler]
}

/** Samplers that a server has no counterpart of, each with what it lacks; the default one of a server without samplers is its own. */
export function samplersMissingAt(format: ImageServerFormat, own: Sampler): Readonly<Partial<Record<Sampler, string>>> {
  const known = (sampler: Sampler): boolean =>
    format === 'openai-images' ? sampler === own : foreignSampler(format, sampler) !== undefined
  return Object.fromEntries(
    samplers.filter((sampler) => !known(sampler)).map((sampler) => [sampler, `a server (${format}) without that sampler`]),
  )
}
