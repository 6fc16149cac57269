/** The diffusion samplers by their wire names; each follows a diffusers scheduler (interface §4.1). */
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
