import type { DemoOptions } from '../../../../db/demo/load-demo.ts'

export { isDemonstration } from './demo.repository.ts'

/** Fills an empty shop, once. A live shop never loads what tells the story. */
export async function loadDemo(options: DemoOptions): Promise<void> {
  const story = await import('../../../../db/demo/load-demo.ts')
  await story.loadDemo(options)
}
