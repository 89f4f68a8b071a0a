# stitching.awk - print the results of stitch.sh as a table
BEGIN { FS = "\t" }
$1 == "stitch" {
	if (!n++) {
		print "| recording | copy KiB | whole in 64 KiB | whole in the copy % | stitched % " \
			"| right of these % | a total wrong by at most, bare, points | stitched |"
		print "|---|--:|--:|--:|--:|--:|--:|--:|"
	}
	printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", $2, $3, $4, $5, $6, $7, $8, $9 }
