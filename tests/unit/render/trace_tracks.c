#include "test.h"

#include "render/trace_tracks.h"

static struct hd_gpu_activity on_stream(uint32_t stream, int64_t start, int64_t end)
{
	return (struct hd_gpu_activity){ .kind = HD_GPU_KERNEL, .stream = stream, .start_ns = start, .end_ns = end };
}

static size_t find(struct hd_trace_tracks *t, struct hd_gpu_activity a)
{
	return hd_trace_tracks_find(t, &a);
}

TEST(each_stream_of_a_device_and_each_thread_is_a_track)
{
	struct hd_trace_tracks t = { 0 };
	struct hd_gpu_activity call = { .kind = HD_GPU_LAUNCH, .pid = 0, .tid = 7, .start_ns = 1, .end_ns = 2 };

	EXPECT_INT(find(&t, on_stream(7, 0, 1)), 0);
	EXPECT_INT(find(&t, on_stream(8, 0, 1)), 1);
	EXPECT_INT(hd_trace_tracks_find(&t, &call), 2);	/* a thread 7, which is not stream 7 */
	call.kind = HD_GPU_RANGE;
	call.start_ns = call.end_ns = 5;
	EXPECT_INT(hd_trace_tracks_find(&t, &call), 2);
	EXPECT_INT(find(&t, on_stream(7, 5, 6)), 0);
	EXPECT(t.items[0].on_device && !t.items[2].on_device && t.items[2].line == 7);
	hd_trace_tracks_release(&t);
}

TEST(slices_of_a_track_nest_and_others_get_a_lane)
{
	struct hd_trace_tracks t = { 0 };

	EXPECT_INT(find(&t, on_stream(7, 0, 10)), 0);
	EXPECT_INT(find(&t, on_stream(7, 2, 8)), 0);	/* inside of the first one, so the same track */
	EXPECT_INT(find(&t, on_stream(7, 3, 9)), 1);	/* overlaps the end of the second */
	EXPECT_INT(find(&t, on_stream(7, 4, 12)), 2);	/* overlaps the first and the third */
	EXPECT_INT(find(&t, on_stream(7, 8, 9)), 0);	/* begins where the second ends */
	EXPECT_INT(find(&t, on_stream(7, 10, 11)), 0);
	EXPECT_INT(t.items[1].lane, 1);
	EXPECT_INT(t.items[2].lane, 2);
	EXPECT_INT(t.n, 3);
	hd_trace_tracks_release(&t);
}

TEST(lanes_are_bounded)
{
	struct hd_trace_tracks t = { 0 };

	for (int i = 0; i < 1000; i++)
		find(&t, on_stream(7, i, 5000 + i));
	EXPECT_INT(t.n, HD_TRACE_TRACK_LANES);
	hd_trace_tracks_release(&t);
}

TEST_MAIN(RUN(each_stream_of_a_device_and_each_thread_is_a_track), RUN(slices_of_a_track_nest_and_others_get_a_lane),
	RUN(lanes_are_bounded))
