/*
 * density.c - see density.h
 */
#include "stats/density.h"

#include "stats/order.h"

#include <math.h>

double hd_density_bandwidth(double *v, size_t n)
{
	double mean = 0, sd = 0, spread;

	if (n < 2)
		return 0;
	hd_order_sort(v, n);
	for (size_t i = 0; i < n; i++)
		mean += v[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		sd += (v[i] - mean) * (v[i] - mean) / (double)(n - 1);
	sd = sqrt(sd);
	spread = (hd_order_type7(v, n, 0.75) - hd_order_type7(v, n, 0.25)) / 1.34;
	/*
	 * Use the standard deviation or the spread from the quartiles, whichever is smaller.  If half of the values are
	 * equal, the quartiles can be equal; then use the standard deviation.
	 */
	return 0.9 * (spread > 0 && spread < sd ? spread : sd) * pow((double)n, -0.2);
}

void hd_density_make(double *out, size_t points, double lo, double hi, const double *v, size_t n, double bandwidth)
{
	double h = bandwidth > 0 ? bandwidth : (hi - lo) / 50, scale = 1 / (h * sqrt(2 * M_PI) * (double)(n ? n : 1));

	for (size_t i = 0; i < points; i++) {
		double x = lo + (hi - lo) * (double)i / (double)(points - 1);

		out[i] = 0;
		for (size_t k = 0; k < n; k++) {
			double z = (x - v[k]) / h;

			out[i] += scale * exp(-0.5 * z * z);
		}
	}
}
