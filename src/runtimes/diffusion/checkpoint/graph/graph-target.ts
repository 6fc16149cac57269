/** What a graph is written for. */
export interface GraphTarget {
  /**
   * `mapped`: weights stay in the file, which the system pages in and out; right for the processor. `constant`: the runtime copies and
   * prepares them; right for a GPU.
   */
  readonly weightsAs: 'mapped' | 'constant'
  /** `half`: sums in half precision but for those that need more; for a GPU that has it. */
  readonly precision: 'single' | 'half'
  /** `fused`: one operator of the runtime, which takes less time and memory; `plain`: products and a softmax, for a device that gets it wrong. */
  readonly attention: 'fused' | 'plain'
}

/** The processor. */
export const processorTarget: GraphTarget = { weightsAs: 'mapped', precision: 'single', attention: 'fused' }

/** A GPU of which nothing more is known. */
export const gpuTarget: GraphTarget = { weightsAs: 'constant', precision: 'single', attention: 'fused' }
