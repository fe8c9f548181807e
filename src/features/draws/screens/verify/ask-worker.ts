import type { TicketOutcome } from '#draw-protocol/check.ts'
import type { WorkerMessage, WorkerQuestion } from './verify.worker.ts'
import type { WatchOutcome } from './watch.ts'

interface Outcomes {
  leaf: TicketOutcome
  watch: WatchOutcome
}

/** Asks a worker of its own one question. @throws when it cannot answer, or nobody waits any more */
export async function askWorker<Type extends keyof Outcomes>(
  openWorker: () => Worker,
  question: WorkerQuestion & { type: Type },
  signal: AbortSignal,
): Promise<Outcomes[Type]> {
  const isAnswer = (message: WorkerMessage): message is WorkerMessage & { outcome: Outcomes[Type] } =>
    message.type === question.type
  const worker = openWorker()
  try {
    return await new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error('the worker did not answer'))
      worker.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) =>
        isAnswer(data) ? resolve(data.outcome) : fail(),
      )
      worker.addEventListener('error', fail)
      signal.addEventListener('abort', fail)
      worker.postMessage(question)
    })
  } finally {
    worker.terminate()
  }
}
