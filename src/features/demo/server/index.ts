import type { DemoOptions, claimPrizes as claim } from '../../../../db/demo/load-demo.ts'

export { isDemonstration } from './demo.repository.ts'

/** A live shop never loads what tells the story. */
const story = () => import('../../../../db/demo/load-demo.ts')

/** Fills an empty shop, once. */
export const loadDemo = async (options: DemoOptions): Promise<void> => (await story()).loadDemo(options)

/** Invented people claim what they have won: without a winner who is named nobody would see how that looks. */
export const claimPrizes = async (deps: Parameters<typeof claim>[0]): Promise<void> =>
  (await story()).claimPrizes(deps)
