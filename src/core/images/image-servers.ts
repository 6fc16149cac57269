import { type Sampler, samplers } from '../sampler.ts'

/** APIs of remote servers that draw. */
export const imageServerFormats = ['a1111', 'sd-server', 'comfyui', 'openai-images'] as const

export type ImageServerFormat = (typeof imageServerFormats)[number]

/** Whether a format is the API of an image server. */
export function isImageServer(format: string): format is ImageServerFormat {
  return imageServerFormats.some((known) => known === format)
}

/** A server's names for a sampler: the solver, and the spacing of its noise levels. */
export interface ForeignSampler {
  readonly solver: string
  readonly spacing: 'plain' | 'karras'
}

type SamplerNames = Readonly<Partial<Record<Sampler, ForeignSampler>>>

const plain = (solver: string): ForeignSampler => ({ solver, spacing: 'plain' })
const karras = (solver: string): ForeignSampler => ({ solver, spacing: 'karras' })

/** Names of samplers in each API; samplers without an equivalent are absent. */
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
  // OpenAI's API has no samplers; the default sampler stands for the server's own.
  'openai-images': {},
}

/** The server's names for a sampler; undefined = no equivalent. */
export function foreignSampler(format: ImageServerFormat, sampler: Sampler): ForeignSampler | undefined {
  return names[format][sampler]
}

/** Samplers without an equivalent in an API, each with the reason. The default sampler always works with servers that have no samplers. */
export function samplersMissingAt(format: ImageServerFormat, own: Sampler): Readonly<Partial<Record<Sampler, string>>> {
  const known = (sampler: Sampler): boolean =>
    format === 'openai-images' ? sampler === own : foreignSampler(format, sampler) !== undefined
  return Object.fromEntries(
    samplers.filter((sampler) => !known(sampler)).map((sampler) => [sampler, `a server (${format}) without that sampler`]),
  )
}
