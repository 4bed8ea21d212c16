-- One POST again and again, from the environment; counts answers that are not what was asked for.
local threads = {}

wrk.method = "POST"
wrk.path = os.getenv("BENCHMARK_PATH")
wrk.body = os.getenv("BENCHMARK_BODY")
for line in string.gmatch(os.getenv("BENCHMARK_HEADERS"), "[^\n]+") do
  local name, value = string.match(line, "^([^:]+): (.*)$")
  wrk.headers[name] = value
end

function setup(thread)
  table.insert(threads, thread)
end

function init(arguments)
  failed = 0
end

function response(status, headers, body)
  if status ~= 200 or string.find(body, '"isError":true', 1, true) then
    failed = failed + 1
  end
end

function done(summary, latency, requests)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  for _, thread in ipairs(threads) do
    failed = failed + thread:get("failed")
  end
  print(string.format(
    '{"calls": %d, "seconds": %.6f, "p50_ms": %.4f, "p95_ms": %.4f, "p99_ms": %.4f, "failed": %d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(95) / 1e3,
    latency:percentile(99) / 1e3, failed
  ))
end
