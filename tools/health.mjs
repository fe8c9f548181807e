/**
 * Ends with 0 when the process of the shop on PORT of this machine is ready, for the health check of a container, whose image
 * has no other program than Node.
 */
const { PORT = '3000' } = process.env
const WITHIN_MS = 4_000

try {
  const response = await fetch(`http://127.0.0.1:${PORT}/api/health/ready`, {
    signal: AbortSignal.timeout(WITHIN_MS),
  })
  console.log(`${response.status} ${await response.text()}`)
  process.exitCode = response.ok ? 0 : 1
} catch (error) {
  console.log(String(error.cause ?? error))
  process.exitCode = 1
}
