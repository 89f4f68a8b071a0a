#!/usr/bin/env python3
"""delay.py PORT TARGET_PORT DELAY_MS - a TCP proxy on the loopback that delays each direction by half of DELAY_MS

It prints `ready` when it listens, and runs until it is terminated.  Data of one direction stay in order.
"""
import asyncio
import sys


async def pump(reader, writer, delay):
    """Forward data, each piece `delay` seconds after it came."""
    loop = asyncio.get_running_loop()
    queue = asyncio.Queue()

    async def send():
        while True:
            due, data = await queue.get()
            await asyncio.sleep(max(0, due - loop.time()))
            if not data:
                writer.close()
                return
            writer.write(data)

    sender = asyncio.ensure_future(send())
    while True:
        try:
            data = await reader.read(65536)
        except ConnectionError:
            data = b''
        queue.put_nowait((loop.time() + delay, data))
        if not data:
            break
    await sender


async def main(port, target, delay):
    async def connected(reader, writer):
        far_reader, far_writer = await asyncio.open_connection('127.0.0.1', target)
        await asyncio.gather(pump(reader, far_writer, delay), pump(far_reader, writer, delay))

    server = await asyncio.start_server(connected, '127.0.0.1', port)
    print('ready', flush=True)
    async with server:
        await server.serve_forever()


if __name__ == '__main__':
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]) / 2000))
